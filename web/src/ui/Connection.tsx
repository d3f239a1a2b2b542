// How the connection stands, in words. It has its height only when there is something to say.

import { useApp } from '../app';
import type { Link } from '../connection';
import type { Words } from '../words';

/** What to say of the connection; null while all is well. */
export function linkText(link: Link, weather: string | null, now: number, words: Words): string | null {
  if (link.kind === 'connecting') return words.text('app.link.connecting');
  if (link.kind === 'lost') {
    if (link.code === 'too_many') return words.text('app.link.too_many');
    const seconds = Math.ceil((link.retryAt - now) / 1000);
    return seconds > 0 ? words.text('app.link.lost', { seconds }) : words.text('app.link.retrying');
  }
  if (weather === 'draining') return words.text('app.link.draining');
  if (weather === 'store_down') return words.text('app.link.store_down');
  return null;
}

export function Connection() {
  const { store, clock, words, reconnect } = useApp();
  const link = store.link.value;
  const text = linkText(link, store.weather.value, clock.value, words.value);
  return (
    <div class={`link link-${link.kind}`} data-testid="connection" data-value={link.kind}>
      {text && <p>{text}</p>}
      {link.kind === 'lost' && (
        <button type="button" class="quiet" onClick={reconnect}>
          {words.value.text('app.link.now')}
        </button>
      )}
      {store.rewound.value && <p>{words.value.text('app.link.rewound')}</p>}
    </div>
  );
}
