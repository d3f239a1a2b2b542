// A gentle call to the person whose turn it is, offered to the seated once it has been that turn for a while.

import { useRef } from 'preact/hooks';
import { useApp } from '../app';
import { comingOf, type Table } from '../fold';
import { nameAt } from '../sentences';
import { plain } from '../words';

/** How long a turn is left in peace, and how long a nudge lasts (the server's rule), in ms. */
const PATIENCE_MS = 10_000;
const LASTS_MS = 20_000;

export function Nudge({ table, seat }: { table: Table; seat: number }) {
  const { announce, clock, talk, words } = useApp();
  const since = useRef({ coming: '', at: 0 });
  const { game, you } = table;
  const person = table.seats.find((other) => other.seat === seat);
  const waits =
    game?.turn === seat &&
    you.seat !== null &&
    you.seat !== seat &&
    person?.kind === 'person' &&
    person.present;
  const coming = game && waits ? comingOf(game) : '';
  if (since.current.coming !== coming) since.current = { coming, at: clock.peek() };
  if (!game || !waits || clock.value - since.current.at < PATIENCE_MS) return null;
  const say = words.value;
  const nudged = talk.nudged.value;
  const done = nudged?.coming === coming && clock.value - nudged.at < LASTS_MS;
  const name = plain([nameAt(table.names, seat, say)]);

  async function nudge(): Promise<void> {
    if (!done && (await talk.nudge())) announce(words.peek().text('app.nudge.told', { name }));
  }

  return (
    <button
      type="button"
      class="nudge"
      data-testid="nudge"
      aria-disabled={done}
      aria-label={say.text(done ? 'app.nudge.told' : 'app.nudge.name', { name })}
      onClick={() => void nudge()}
    >
      {say.text(done ? 'app.nudge.done' : 'app.nudge')}
    </button>
  );
}
