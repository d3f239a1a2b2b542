// Your stack: one large button over the whole lower part of a phone. It is never disabled, so that a tap which
// cannot turn a card says why at once, in words.

import { useState } from 'preact/hooks';
import { useApp } from '../app';
import type { Table } from '../fold';
import type { GameView } from '../protocol';
import { reasonOf } from '../reasons';
import { isWaitedFor, nudgeSentence } from '../telling';
import { plain } from '../words';
import { CardBack } from './CardFace';
import { Pace } from './Pace';
import { Refused } from './Refused';
import { Say } from './Say';
import { Counts } from './Seat';

export function Stack({ table, game }: { table: Table; game: GameView }) {
  const { actions, announce, store, words } = useApp();
  const [asked, setAsked] = useState(0);
  const say = words.value;
  const { seat } = table.you;
  const plays = seat !== null && seat < game.stacks.length;
  const reason = reasonOf(table, store.link.value, store.turning.value, say);

  function tap(): void {
    if (!reason) {
      void actions.reveal();
      return;
    }
    setAsked(asked + 1);
    announce(plain(reason.sentence));
  }

  if (!plays) {
    return (
      <p class="reason" data-testid="reason" data-value={reason?.code ?? ''}>
        {reason && <Say sentence={reason.sentence} />}
      </p>
    );
  }
  const mine = table.game?.turn === seat;
  return (
    <>
      <button
        type="button"
        class={`stack ${mine && !reason ? 'stack-ready' : ''}`}
        data-testid="stack"
        data-place={`seat-${seat}`}
        aria-disabled={reason !== null}
        aria-describedby="reason"
        onClick={tap}
      >
        <span class={`stack-cards stack-depth-${Math.min(4, game.stacks[seat] ?? 0)}`}>
          {(game.stacks[seat] ?? 0) > 0 ? <CardBack /> : <span class="card card-none" aria-hidden="true" />}
        </span>
        <span class="stack-words">
          <span class="stack-do">
            {say.text(game.again && mine ? 'app.stack.turn.again' : 'app.stack.turn')}
          </span>
          <span data-testid={`seat-${seat}`} class="stack-counts">
            <Counts seat={seat} game={game} />
          </span>
          {/* A new key starts the nod anew at every tap that turned nothing. */}
          <span
            id="reason"
            key={asked}
            class={`reason ${asked > 0 ? 'reason-asked' : ''}`}
            data-testid="reason"
            data-value={reason?.code ?? ''}
          >
            {reason ? (
              <Say sentence={reason.sentence} />
            ) : (
              isWaitedFor(store) && (
                <b data-testid="nudged">
                  <Say sentence={nudgeSentence(store, say)} />
                </b>
              )
            )}
          </span>
        </span>
      </button>
      <Auto table={table} />
      <Refused />
    </>
  );
}

/** Auto-reveal: yours alone, off again whenever the connection was lost, and said so. */
function Auto({ table }: { table: Table }) {
  const { actions, store, words } = useApp();
  const say = words.value;
  const auto = store.auto.value;
  return (
    <>
      <div class="auto">
        <label class="switch">
          <input
            type="checkbox"
            role="switch"
            data-testid="auto"
            checked={auto === 'on'}
            aria-checked={auto === 'on'}
            disabled={!store.live.value}
            onChange={(event) => void actions.auto(event.currentTarget.checked)}
          />
          <span>{say.text('app.auto')}</span>
        </label>
        <Pace table={table} />
      </div>
      {auto === 'dropped' && store.live.value && (
        <p class="note auto-note" role="status">
          {say.text('app.auto.dropped')}{' '}
          <button
            type="button"
            class="quiet"
            data-testid="auto-again"
            onClick={() => void actions.auto(true)}
          >
            {say.text('app.auto.again')}
          </button>
        </p>
      )}
    </>
  );
}
