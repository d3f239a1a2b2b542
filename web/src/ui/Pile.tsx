// The pile in the middle: its top card, how many lie there, and, while the game goes on, the suit that would match.

import { useApp } from '../app';
import type { GameView } from '../protocol';
import { cardName, suitName } from '../sentences';
import { CardFace, SuitMark } from './CardFace';

export function Pile({ game }: { game: GameView }) {
  const say = useApp().words.value;
  const { size, top } = game.pile;
  return (
    <section
      class="pile"
      data-testid="pile"
      data-top={top ?? ''}
      data-value={size}
      aria-label={say.text('app.pile')}
    >
      <div class={`pile-cards pile-depth-${Math.min(4, size)}`}>
        <div class="pile-top" data-place="pile">
          {top === null ? <div class="card card-none" aria-hidden="true" /> : <CardFace card={top} />}
        </div>
      </div>
      <div class="pile-words">
        <p class="pile-count">
          <b data-testid="pile-size" data-value={size}>
            {say.number(size)}
          </b>{' '}
          {say.text(size === 1 ? 'app.pile.cards.one' : 'app.pile.cards.other')}
        </p>
        {game.turn === null ? null : top === null ? (
          <p class="pile-wants">{say.text('app.pile.empty')}</p>
        ) : (
          <p class={`pile-wants suit-${top.slice(1)}`}>
            <span class="unseen">{say.text('app.pile.top', { card: cardName(top, say) })} </span>
            <SuitMark suit={top.slice(1)} />
            <span data-testid="match">
              {say.text('app.pile.match', { suit: suitName(top.slice(1), say) })}
            </span>
          </p>
        )}
      </div>
    </section>
  );
}
