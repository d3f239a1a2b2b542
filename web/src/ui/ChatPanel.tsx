// What is in the chat: whom one hides, the lines, and what one may write. Loaded apart from the table (Chat.tsx).
// The list is not live: new lines are told by the announcer, and read here when wanted.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app';
import type { Table } from '../fold';
import { ChatLine } from './ChatLine';
import { ChatWrite } from './ChatWrite';
import { Say } from './Say';

/** How far from its end a list may be scrolled and still follow what comes (px). */
const NEAR = 40;

const shapeOf = (box: HTMLElement): string => `${box.clientHeight} ${box.scrollHeight}`;

export function ChatPanel({ table }: { table: Table }) {
  const { talk, words } = useApp();
  const say = words.value;
  const lines = talk.lines.value;
  const list = useRef<HTMLOListElement>(null);
  const follows = useRef(true);
  const [chosen, setChosen] = useState<string | null>(null);
  /** What was there when the panel came is no news. */
  const [old] = useState(() => new Set(lines.map(({ id }) => id)));
  const newest = lines[lines.length - 1]?.id;

  /** The list's size and its content's, when it was last looked at. */
  const shape = useRef('');

  function follow(): void {
    const box = list.current;
    if (!box) return;
    shape.current = shapeOf(box);
    if (follows.current) box.scrollTop = box.scrollHeight;
  }
  useLayoutEffect(follow, [newest]);
  // Whoever opens the chat finds its newest line.
  useLayoutEffect(() => {
    follows.current = true;
    follow();
  }, [talk.open.value, talk.wide.value]);
  // A keyboard slides in, the phone is turned: the newest line stays in sight.
  useEffect(() => {
    const sizes = new ResizeObserver(follow);
    if (list.current) sizes.observe(list.current);
    return () => sizes.disconnect();
  }, []);

  /** What was chosen at a line took the line away: the keyboard goes on from the list. */
  function settle(): void {
    setChosen(null);
    list.current?.focus();
  }

  return (
    <>
      <Hidden onShown={settle} />
      {/* It scrolls by itself, so a keyboard must be able to reach it. */}
      <ol
        ref={list}
        class="chat-lines"
        data-testid="chat-lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling list is a stop for the keyboard
        tabIndex={0}
        aria-label={say.text('app.chat.lines')}
        onScroll={({ currentTarget: box }) => {
          // A list that changed its size scrolls by itself: that is nobody's wish to look further up.
          if (shapeOf(box) !== shape.current) follow();
          else follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
        }}
      >
        {lines.length === 0 && <li class="note">{say.text('app.chat.empty')}</li>}
        {lines.map((line) => (
          <ChatLine
            key={line.id}
            line={line}
            table={table}
            fresh={!old.has(line.id)}
            chosen={chosen === line.id}
            onChoose={(on) => setChosen(on ? line.id : null)}
            onDone={settle}
          />
        ))}
      </ol>
      <ChatWrite table={table} />
    </>
  );
}

/** Whom the reader hides, each with the way back. */
function Hidden({ onShown }: { onShown(): void }) {
  const { talk, words } = useApp();
  const say = words.value;
  const people = talk.hiding.people.value;
  if (people.length === 0) return null;
  return (
    <ul class="chat-hidden" data-testid="chat-hidden">
      {people.map((names) => {
        const name = names[names.length - 1] ?? '';
        return (
          <li key={name}>
            <span>
              <Say sentence={say.pieces('app.chat.hidden', { name: { name } })} />
            </span>{' '}
            <button
              type="button"
              class="quiet"
              data-testid="chat-show"
              aria-label={say.text('app.chat.show.name', { name })}
              onClick={() => {
                talk.hiding.show(name);
                onShown();
              }}
            >
              {say.text('app.chat.show')}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
