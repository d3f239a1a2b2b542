// One line of the chat: who, when, what, and what may be done about it. What people wrote is text and nothing else:
// no link is made of it, and its direction stays its own.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from '../app';
import type { Table } from '../fold';
import type { Said } from '../protocol';
import { lineText } from '../telling';
import { isReaction, REACTIONS } from './phrases';

interface Props {
  line: Said;
  table: Table;
  /** Whether it came while the chat was on the screen. */
  fresh: boolean;
  /** Whether its choices stand open. */
  chosen: boolean;
  onChoose(on: boolean): void;
  onDone(): void;
}

export function ChatLine({ line, table, fresh, chosen, onChoose, onDone }: Props) {
  const { words } = useApp();
  const say = words.value;
  const own = line.seat === table.you.seat && table.names[line.seat]?.name === line.name;
  const text = lineText(line, say);
  return (
    <li class={`line place-${line.seat} ${fresh ? 'line-fresh' : ''}`} data-testid="chat-line">
      <p class="line-top">
        <bdi class="line-name">{line.name}</bdi>{' '}
        <time dateTime={new Date(line.at).toISOString()}>{say.time(line.at)}</time>
      </p>
      <p class="line-text">
        {isReaction(line.phrase) ? (
          <span class="line-reaction" role="img" aria-label={text} title={text}>
            {REACTIONS[line.phrase]}
          </span>
        ) : (
          <bdi>{text}</bdi>
        )}
      </p>
      {(!own || table.you.host) && (
        <button
          type="button"
          class="quiet line-more"
          data-testid="line-more"
          aria-expanded={chosen}
          aria-label={say.text('app.chat.more', { name: line.name, text })}
          onClick={() => onChoose(!chosen)}
        >
          <span aria-hidden="true">⋯</span>
        </button>
      )}
      {chosen && <Choices line={line} table={table} own={own} onDone={onDone} />}
    </li>
  );
}

function Choices({ line, table, own, onDone }: Pick<Props, 'line' | 'table' | 'onDone'> & { own: boolean }) {
  const { talk, words } = useApp();
  const say = words.value;
  const { name } = line;
  const box = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  // Whoever has that seat now may be somebody else than who said this.
  const there = table.seats.find(({ seat }) => seat === line.seat && table.names[seat]?.name === name);
  return (
    <p ref={box} class="line-choices">
      {!own && (
        <button
          type="button"
          data-testid="line-hide"
          onClick={() => {
            talk.hiding.hide(name);
            onDone();
          }}
        >
          {say.text('app.chat.hide', { name })}
        </button>
      )}
      {table.you.host && (
        <button
          type="button"
          data-testid="line-unsay"
          onClick={() => {
            void talk.unsay(line.id);
            onDone();
          }}
        >
          {say.text('app.chat.unsay')}
        </button>
      )}
      {table.you.host && !own && there && (
        <button
          type="button"
          data-testid="line-mute"
          onClick={() => {
            void talk.mute(line.seat, !there.muted);
            onDone();
          }}
        >
          {say.text(there.muted ? 'app.host.unmute' : 'app.host.mute', { name })}
        </button>
      )}
    </p>
  );
}
