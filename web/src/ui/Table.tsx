// The table while a game is on it, and after: the others round the pile, your stack at the bottom.
// Counts and pile are as the stage shows them; whose turn it is and who is there are as they are.

import { useApp } from '../app';
import type { Table as Known } from '../fold';
import type { Event } from '../protocol';
import { nameAt, sentencesOf } from '../sentences';
import type { Scene } from '../stage';
import { plain, type Sentence } from '../words';
import { Chat } from './Chat';
import { GameOver } from './GameOver';
import { Idle } from './Idle';
import { Log } from './Log';
import { Pile } from './Pile';
import { Say, SayAll } from './Say';
import { Seat } from './Seat';
import { Stack } from './Stack';

/** The seats in turn order, beginning after `you` (or at seat 0 for a watcher). */
export function seatsAround(count: number, you: number | null): number[] {
  const mine = you !== null && you < count ? you : null;
  const first = mine === null ? 0 : mine + 1;
  const all = Array.from({ length: count }, (_, step) => (first + step) % count);
  return mine === null ? all : all.slice(0, -1);
}

export function Table({ table, scene }: { table: Known; scene: Scene }) {
  const { words } = useApp();
  const say = words.value;
  const game = scene.table.game;
  if (!game) return null;
  const others = seatsAround(game.stacks.length, table.you.seat);
  const plays = table.you.seat !== null && table.you.seat < game.stacks.length;
  const { entry } = scene;
  const over = table.phase === 'over' && game.turn === null;
  const told = entry ? sentencesOf(onTheTable(entry.events, over), entry.before, say) : [];
  return (
    <main
      class={`table table-of-${others.length} ${others.length > 2 ? 'table-crowd' : ''} ${plays ? 'table-played' : 'table-watched'} ${over ? 'table-over' : ''}`}
    >
      <div class="play">
        {!over && <h1 class="unseen">{say.text('app.title')}</h1>}
        <div class="felt">
          <p class="count">
            <span data-testid="reveal-count" data-value={game.n}>
              {say.text('app.reveal_count', { n: game.n, cap: game.cap })}
            </span>
          </p>
          <ul class="others" aria-label={say.text('app.others')}>
            {others.map((seat, index) => (
              <Seat key={seat} seat={seat} table={table} game={game} place={placeOn(index, others.length)} />
            ))}
          </ul>
          <Pile game={game} />
          <p class={`sentence ${typeFor(told)}`} data-testid="sentence" data-value={game.n}>
            <SayAll sentences={told} />
          </p>
        </div>
        <section class="mine">
          <Turn table={table} />
          <Idle table={table} />
          {over ? <GameOver table={table} game={game} /> : <Stack table={table} game={game} />}
        </section>
      </div>
      <Log />
      <Chat table={table} />
    </main>
  );
}

/** What stands under the pile: the reveal and what came of it. The rest is for the log and for who listens. */
function onTheTable(events: readonly Event[], over: boolean): Event[] {
  // The panel of a finished game says itself who won.
  return events.filter(({ type }) => type !== 'reshuffled' && type !== 'left' && !(over && type === 'ended'));
}

/** Smaller type for what is long, so that it seldom has to scroll. */
function typeFor(sentences: readonly Sentence[]): string {
  const letters = sentences.map(plain).join(' ').length;
  if (letters > 150) return 'sentence-longest';
  return letters > 105 ? 'sentence-long' : '';
}

function Turn({ table }: { table: Known }) {
  const say = useApp().words.value;
  const turn = table.game?.turn ?? null;
  return (
    <p class="turn" data-testid="turn" data-value={turn ?? ''}>
      {turn !== null &&
        (turn === table.you.seat ? (
          say.text(table.game?.again ? 'app.turn.yours.again' : 'app.turn.yours')
        ) : (
          <Say sentence={say.pieces('app.turn', { name: nameAt(table.names, turn, say) })} />
        ))}
    </p>
  );
}

/** Where on the oval of a wide table the others sit, as CSS percentages: from the left, over the top, to the right. */
function placeOn(index: number, count: number): { '--x': string; '--y': string } {
  const angle = Math.PI * (count === 1 ? 0.5 : 0.04 + (0.92 * index) / (count - 1));
  return {
    '--x': `${(50 - 42 * Math.cos(angle)).toFixed(2)}%`,
    '--y': `${(56 - 50 * Math.sin(angle)).toFixed(2)}%`,
  };
}
