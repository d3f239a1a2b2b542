// One seat at the table: whose, how many cards, and how it stands.

import { useApp } from '../app';
import type { Table } from '../fold';
import type { GameView } from '../protocol';
import { nameAt } from '../sentences';
import { initial } from './Lobby';
import { Nudge } from './Nudge';
import { PersonButton } from './PersonButton';
import { Say } from './Say';

interface Props {
  seat: number;
  table: Table;
  game: GameView;
  place?: Record<`--${string}`, string>;
}

export function Seat({ seat, table, game, place }: Props) {
  const say = useApp().words.value;
  const person = table.seats.find((other) => other.seat === seat);
  const name = nameAt(table.names, seat, say);
  const turn = table.game?.turn === seat;
  const out = game.out[seat] ?? false;
  const states = [turn && 'seat-turn', out && 'seat-out', person && !person.present && 'seat-absent'];
  return (
    <li
      class={`seat place-${seat} ${states.filter(Boolean).join(' ')}`}
      data-testid={`seat-${seat}`}
      data-place={`seat-${seat}`}
      {...(place ? { style: place } : {})}
    >
      <span class="token" aria-hidden="true">
        {initial(typeof name === 'string' ? '' : name.name)}
      </span>
      <span class="seat-name">
        <Say sentence={[name]} />
      </span>
      <Counts seat={seat} game={game} />
      <span class="marks">
        {turn && <span class="mark mark-turn">{say.text('app.seat.turn')}</span>}
        {out && <span class="mark">{say.text('app.seat.out')}</span>}
        {person?.away && <span class="mark">{say.text('app.seat.away')}</span>}
        {person && !person.present && !person.away && <span class="mark">{say.text('app.seat.absent')}</span>}
      </span>
      <Nudge table={table} seat={seat} />
      <PersonButton table={table} seat={seat} class="about" />
    </li>
  );
}

/** A seat's two counts: the stack it turns from, and what it has collected. */
export function Counts({ seat, game }: { seat: number; game: GameView }) {
  const say = useApp().words.value;
  const stack = game.stacks[seat] ?? 0;
  const collected = game.collected[seat] ?? 0;
  return (
    <span class="counts">
      <span class="count-of" title={say.text('app.stack')}>
        <i class="glyph glyph-stack" aria-hidden="true" />
        <span class="unseen">{say.text('app.stack')} </span>
        <b data-testid={`stack-count-${seat}`} data-value={stack}>
          {say.number(stack)}
        </b>
      </span>
      <span class="count-of" title={say.text('app.collected')}>
        <i class="glyph glyph-collected" aria-hidden="true" />
        <span class="unseen">{say.text('app.collected')} </span>
        <b data-testid={`collected-count-${seat}`} data-value={collected}>
          {say.number(collected)}
        </b>
      </span>
    </span>
  );
}
