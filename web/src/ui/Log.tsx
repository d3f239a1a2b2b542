// What happened, newest first, as a list that is read when wanted and never by itself.

import { useApp } from '../app';
import { sentencesOf } from '../sentences';
import { SayAll } from './Say';

const SHOWN = 80;

export function Log() {
  const { store, words } = useApp();
  const say = words.value;
  const entries = store.entries.value.slice(-SHOWN).reverse();
  return (
    <section class="log panel" aria-label={say.text('app.log')}>
      <h2>{say.text('app.log')}</h2>
      <ol data-testid="log" reversed>
        {entries.map((entry) => {
          const sentences = sentencesOf(entry.events, entry.before, say);
          return (
            sentences.length > 0 && (
              <li key={entry.seq}>
                <SayAll sentences={sentences} />
              </li>
            )
          );
        })}
      </ol>
    </section>
  );
}
