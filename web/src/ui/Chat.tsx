// Where the chat stands: beside the table where there is room, else in a sheet that a button in the header opens.
// The panel itself comes after the table (ChatPanel.tsx), so that nobody waits for it to play.

import type { FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app';
import type { Table } from '../fold';

type Panel = FunctionComponent<{ table: Table }>;
const BUTTON = 'chat-open';

let loaded: Panel | null = null;

/** A computer table has one person at it, who has nobody to talk to. */
const hasChat = (table: Table): boolean => table.settings.kind === 'people';

export function Chat({ table }: { table: Table }) {
  const { talk, words } = useApp();
  const [Panel, setPanel] = useState<Panel | null>(() => loaded);
  const sheet = useRef<HTMLElement>(null);
  const say = words.value;
  const open = talk.open.value;
  const wide = talk.wide.value;

  // Loaded once the table stands; tried again at every opening if the network lost it.
  useEffect(() => {
    if (loaded) return;
    void import('./ChatPanel').then(
      (module) => {
        loaded = module.ChatPanel;
        setPanel(() => module.ChatPanel);
      },
      () => undefined,
    );
  }, [open]);

  useLayoutEffect(() => {
    if (open && !wide) sheet.current?.focus();
  }, [open]);

  function close(): void {
    talk.open.value = false;
    document.getElementById(BUTTON)?.focus();
  }

  if (!hasChat(table)) return null;
  return (
    <section
      ref={sheet}
      id="chat"
      class="chat panel"
      data-testid="chat"
      tabIndex={-1}
      aria-label={say.text('app.chat')}
      hidden={!wide && !open}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !wide && !event.isComposing) close();
      }}
    >
      <div class="chat-top">
        <h2>{say.text('app.chat')}</h2>
        {!wide && table.game?.turn != null && table.game.turn === table.you.seat && (
          <button type="button" class="main" onClick={close}>
            {say.text('app.turn.yours')}
          </button>
        )}
        {!wide && (
          <button type="button" data-testid="chat-close" class="chat-close" onClick={close}>
            {say.text('app.chat.close')}
          </button>
        )}
      </div>
      {Panel ? <Panel table={table} /> : <p class="note">{say.text('app.chat.loading')}</p>}
    </section>
  );
}

/** The way to the chat on a narrow screen, with the number of lines that were not seen yet. */
export function ChatButton({ table }: { table: Table }) {
  const { talk, words } = useApp();
  const say = words.value;
  const unread = talk.unread.value;
  if (!hasChat(table) || talk.wide.value) return null;
  return (
    <button
      type="button"
      id={BUTTON}
      class="quiet chat-open"
      data-testid="chat-open"
      data-value={unread}
      aria-expanded={talk.open.value}
      aria-controls="chat"
      onClick={() => (talk.open.value = !talk.open.value)}
    >
      <svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true" focusable="false">
        <path d="M4 4h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8l-5 5v-5H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2Z" />
      </svg>
      <span class="chat-open-word">{say.text('app.chat')}</span>
      {unread > 0 && (
        <>
          <b class="chat-unread" aria-hidden="true">
            {say.number(unread)}
          </b>
          <span class="unseen"> {say.counted('app.chat.unread', unread)}</span>
        </>
      )}
    </button>
  );
}
