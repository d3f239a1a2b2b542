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
      {/* It scrolls by itself, so a keyboard must be able to reach it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list is a stop for the keyboard */}
      <ol data-testid="log" tabIndex={0} reversed aria-label={say.text('app.log')}>
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
