// A link to be handed on: shared, else copied, else selected to be copied by hand.

import { useRef, useState } from 'preact/hooks';
import { useApp } from '../app';

interface Props {
  url: string;
  label: string;
  /** What is shared beside the link. */
  text: string;
  testid: string;
}

export function ShareLink({ url, label, text, testid }: Props) {
  const { words } = useApp();
  const [told, setTold] = useState<'copied' | 'select' | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const say = words.value;

  async function share(): Promise<void> {
    if (navigator.share) {
      try {
        await navigator.share({ title: say.text('app.title'), text, url });
        return;
      } catch (error) {
        // They closed the sheet: that is an answer too.
        if (error instanceof DOMException && error.name === 'AbortError') return;
      }
    }
    try {
      await navigator.clipboard.writeText(url);
      setTold('copied');
    } catch {
      field.current?.focus();
      field.current?.select();
      setTold('select');
    }
  }

  return (
    <div class="invite-link">
      <input
        ref={field}
        readonly
        data-testid={testid}
        aria-label={label}
        value={url}
        dir="ltr"
        onFocus={(event) => event.currentTarget.select()}
      />
      <button type="button" class="main" data-testid="share" onClick={() => void share()}>
        {say.text('app.invite.share')}
      </button>
      <p class="note" role="status">
        {told && say.text(`app.invite.${told}`)}
      </p>
    </div>
  );
}
