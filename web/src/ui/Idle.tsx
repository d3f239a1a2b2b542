// What the host is offered when somebody who is there lets their turn stand: to turn one card for them.
// The time is counted here by the store's clock as far as it is known; the server decides.

import { useState } from 'preact/hooks';
import { useApp } from '../app';
import { comingOf, type Table } from '../fold';
import { nameAt } from '../sentences';
import { SayLine } from './Say';

const IDLE_MS = 60_000;

/** The seat that has been idle for long, if the host may turn a card for it; else null. */
export function idleSeat(table: Table, now: number): number | null {
  const turn = table.phase === 'playing' ? (table.game?.turn ?? null) : null;
  if (turn === null || !table.you.host || turn === table.you.seat) return null;
  const person = table.seats.find(({ seat }) => seat === turn);
  if (person?.kind !== 'person' || !person.present || person.away) return null;
  return now - table.turnSince >= IDLE_MS ? turn : null;
}

export function Idle({ table }: { table: Table }) {
  const { clock, command, store, words } = useApp();
  // Asked once for each reveal: a second tap would only be refused.
  const [asked, setAsked] = useState('');
  const say = words.value;
  const seat = idleSeat(table, clock.value + store.skew.value);
  const { game } = table;
  if (seat === null || game === null) return null;
  const n = game.n + 1;
  const coming = comingOf(game);

  async function turn(): Promise<void> {
    setAsked(coming);
    const reply = await command('turn', { n });
    // Too early by the server's clock, or no answer: it may be tried again.
    if (!reply?.ok) setAsked('');
  }

  return (
    <button
      type="button"
      class="idle"
      data-testid="turn-for"
      disabled={asked === coming}
      onClick={() => void turn()}
    >
      <SayLine sentence={say.pieces('app.host.turn', { name: nameAt(table.names, seat, say) })} />
    </button>
  );
}
