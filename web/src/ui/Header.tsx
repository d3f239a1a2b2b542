// The line at the top: what this is, which table, how many watch, and the other language.

import { showTableId, useApp } from '../app';
import { ChatButton } from './Chat';

export function Header() {
  const { id, store, words, speak } = useApp();
  const say = words.value;
  const table = store.table.value;
  const other = say.language === 'bn' ? 'en' : 'bn';
  return (
    <header class="top">
      <a class="brand" href={say.language === 'bn' ? '/bn' : '/'}>
        <img src="/icon.svg" alt="" width="28" height="28" />
        <span>{say.text('app.title')}</span>
      </a>
      <span class="table-id" translate={false}>
        {showTableId(id)}
      </span>
      {table && (
        <span class="watchers" data-testid="watching" data-value={table.watching}>
          {say.counted('app.watching', table.watching)}
        </span>
      )}
      <button type="button" class="quiet" lang={other} onClick={() => speak(other)}>
        {say.text('app.language.other')}
      </button>
      {table && <ChatButton table={table} />}
    </header>
  );
}
