// The line at the top: what this is, which table, how many watch, and the other language.

import { showTableId, useApp } from '../app';
import { ChatButton } from './Chat';

export function Header() {
  const { id, dialog, store, words, speak } = useApp();
  const say = words.value;
  const table = store.table.value;
  const other = say.language === 'bn' ? 'en' : 'bn';
  return (
    <header class={`top ${table ? 'top-table' : ''}`}>
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
      {table && (
        <button
          type="button"
          class="quiet menu"
          data-testid="menu"
          aria-haspopup="dialog"
          aria-label={say.text('app.menu.open')}
          onClick={() => {
            dialog.value = { kind: 'menu' };
          }}
        >
          <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
            <path
              d="M4 6h16M4 12h16M4 18h16"
              stroke="currentColor"
              stroke-width="2.5"
              stroke-linecap="round"
            />
          </svg>
        </button>
      )}
    </header>
  );
}
