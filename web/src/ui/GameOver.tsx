// The game is over: who won and how, each seat's cards, and another game.

import { useApp } from '../app';
import type { Table } from '../fold';
import type { GameView } from '../protocol';
import { ended, nameAt } from '../sentences';
import { Invite } from './Invite';
import { Refused } from './Refused';
import { Say } from './Say';
import { SitForm } from './SitForm';

/** How it ended: told by the last batch, except for a game that the host ended between reveals. */
export function howItEnded(game: GameView): 'last_seat' | 'cap' | 'stopped' {
  if (!game.winners || game.winners.length === 0) return 'stopped';
  const last = game.last.find((event) => event.type === 'ended');
  if (last?.type === 'ended') return last.reason;
  return game.n >= game.cap ? 'cap' : 'last_seat';
}

export function GameOver({ table, game }: { table: Table; game: GameView }) {
  const { id, actions, store, words } = useApp();
  const say = words.value;
  const winners = game.winners ?? [];
  const held = game.held ?? [];
  const order = held.map((_, seat) => seat).sort((a, b) => (held[b] ?? 0) - (held[a] ?? 0) || a - b);
  const most = Math.max(1, ...held);
  const ready = table.you.seat !== null && table.ready.includes(table.you.seat);
  return (
    <div class="over panel">
      <h1 class="winner" data-testid="winner" data-value={winners.join(',')}>
        <Say sentence={ended({ reason: howItEnded(game), winners, held }, table.names, say)} />
      </h1>
      <ol class="held">
        {order.map((seat) => (
          <li key={seat} class={`place-${seat}`}>
            <span class="held-name">
              <Say sentence={[nameAt(table.names, seat, say)]} />
            </span>
            <span class="bar">
              <i style={{ width: `${(100 * (held[seat] ?? 0)) / most}%` }} />
            </span>
            <b>{say.counted('app.cards', held[seat] ?? 0)}</b>
          </li>
        ))}
      </ol>
      {table.you.seat === null ? (
        <SitForm table={table} />
      ) : (
        <button
          type="button"
          class="main wide"
          data-testid="again"
          aria-disabled={ready || !store.live.value}
          onClick={() => void actions.again()}
        >
          {say.text('app.again')}
        </button>
      )}
      <Ready table={table} ready={ready} />
      <Refused />
      <p class="row">
        <a
          href={`/api/tables/${id}/log?game=${game.game}`}
          download={`rang-milanti-${id}-${game.game}.ndjson`}
        >
          {say.text('app.over.save')}
        </a>
      </p>
      {table.settings.kind === 'people' && <Invite />}
    </div>
  );
}

/** Who is ready, and who is waited for. */
function Ready({ table, ready }: { table: Table; ready: boolean }) {
  const say = useApp().words.value;
  if (table.settings.kind === 'computers') return null;
  const waiting = table.seats.filter(
    ({ seat, kind, present, away }) => kind === 'person' && present && !away && !table.ready.includes(seat),
  );
  const others = waiting.filter(({ seat }) => seat !== table.you.seat && seat !== table.host);
  const names = say.list(others.map(({ seat }) => nameAt(table.names, seat, say)));
  return (
    <p class="note" role="status" data-testid="ready">
      {ready && say.text('app.ready.you')}{' '}
      {others.length > 0 && <Say sentence={say.pieces('app.ready.wait', { names })} />}
    </p>
  );
}
