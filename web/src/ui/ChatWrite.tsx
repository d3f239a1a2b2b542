// What a person here may say, by hand or with one tap; and, where they may not, why. A line that was not taken stays
// in the field, with the reason beside it.

import { useRef, useState } from 'preact/hooks';
import { useApp } from '../app';
import type { Table } from '../fold';
import { countGraphemes } from '../graphemes';
import type { Phrase } from '../protocol';
import { hindranceOf } from '../talk';
import { PHRASES, REACTIONS, type Reaction } from './phrases';
import { refusalText } from './Refused';
import { Say } from './Say';

/** The server's limit, and from how many left on the count is shown. */
const MOST = 200;
const NEAR = 40;

export function ChatWrite({ table }: { table: Table }) {
  const { words } = useApp();
  const say = words.value;
  const hindrance = hindranceOf(table);
  const mode = table.settings.chat;
  return (
    <div class="chat-write" data-testid="chat-write" data-value={hindrance ?? mode}>
      {hindrance === 'muted' && mode === 'open' && <Field muted />}
      <p class="note" data-testid="chat-mode">
        {say.text(hindrance === null ? `app.chat.mode.${mode}` : HINDRANCES[hindrance])}
      </p>
      {hindrance === null && mode === 'open' && <Field />}
      {hindrance === null && <Ready folded={mode === 'open'} />}
      <Trouble table={table} />
    </div>
  );
}

const HINDRANCES = {
  off: 'app.chat.mode.off',
  watching: 'app.chat.watching',
  muted: 'app.chat.muted',
} as const;

function Field({ muted = false }: { muted?: boolean }) {
  const { announce, talk, words } = useApp();
  const composing = useRef(false);
  const say = words.value;
  const left = MOST - countGraphemes(talk.draft.value.trim());

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('text') as HTMLInputElement;
    // From the field itself: a quick thumb sends before the last letter has been drawn.
    talk.draft.value = field.value;
    if (await talk.sayDraft()) announce(words.peek().text('app.chat.sent'));
  }

  return (
    <form class="chat-form" onSubmit={(event) => void submit(event)}>
      <label class="unseen" for="chat-text">
        {say.text('app.chat.write')}
      </label>
      <input
        id="chat-text"
        name="text"
        data-testid="chat-text"
        dir="auto"
        autocomplete="off"
        enterkeyhint="send"
        value={talk.draft.value}
        placeholder={say.text('app.chat.write')}
        disabled={muted}
        aria-describedby="chat-left"
        onInput={(event) => {
          talk.draft.value = event.currentTarget.value;
        }}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={() => {
          composing.current = false;
        }}
        onKeyDown={(event) => {
          // Enter then chooses among what the keyboard offers; some browsers tell it by the old number alone.
          const choosing = composing.current || event.isComposing || event.keyCode === 229;
          if (event.key === 'Enter' && choosing) event.preventDefault();
        }}
      />
      <button
        type="submit"
        class="main"
        data-testid="chat-send"
        disabled={muted}
        aria-disabled={muted || talk.sending.value}
      >
        {say.text('app.chat.send')}
      </button>
      <p id="chat-left" class="note chat-left" data-testid="chat-left" data-value={left}>
        {left < 0 ? say.counted('app.chat.over', -left) : left <= NEAR && say.counted('app.chat.left', left)}
      </p>
    </form>
  );
}

/** Phrases and reactions: one tap says them. Where one may write, the phrases are folded away. */
function Ready({ folded }: { folded: boolean }) {
  const { announce, talk, words } = useApp();
  const [open, setOpen] = useState(false);
  const say = words.value;
  const shown = open || !folded;

  async function tell(phrase: Phrase): Promise<void> {
    if (await talk.sayPhrase(phrase)) announce(words.peek().text('app.chat.sent'));
  }

  return (
    <>
      <div class="chat-reactions">
        {(Object.keys(REACTIONS) as Reaction[]).map((reaction) => (
          <button
            key={reaction}
            type="button"
            class="quiet"
            data-testid={`say-${reaction}`}
            aria-label={say.text(`phrase.${reaction}`)}
            title={say.text(`phrase.${reaction}`)}
            onClick={() => void tell(reaction)}
          >
            <span aria-hidden="true">{REACTIONS[reaction]}</span>
          </button>
        ))}
        {folded && (
          <button
            type="button"
            class="quiet chat-fold"
            data-testid="chat-phrases"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {say.text('app.chat.phrases')}
          </button>
        )}
      </div>
      {shown && (
        <ul class="chat-phrases" aria-label={say.text('app.chat.phrases')}>
          {PHRASES.map((phrase) => (
            <li key={phrase}>
              <button type="button" data-testid={`say-${phrase}`} onClick={() => void tell(phrase)}>
                {say.text(`phrase.${phrase}`)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Why the last thing was not done, or that it waits for the connection. */
function Trouble({ table }: { table: Table }) {
  const { store, talk, words } = useApp();
  const say = words.value;
  const trouble = talk.trouble.value;
  const waits = talk.sending.value && !store.live.value;
  return (
    <p
      class="refused"
      role="alert"
      data-testid="chat-trouble"
      data-value={waits ? 'waiting' : (trouble?.code ?? '')}
    >
      {waits
        ? say.text('app.chat.waiting')
        : trouble &&
          (trouble.code === 'too_fast' ? (
            say.text('app.chat.too_fast')
          ) : (
            <Say sentence={refusalText(trouble, table, say)} />
          ))}
    </p>
  );
}
