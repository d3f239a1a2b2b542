// The link that lets others in: shared, else copied, else selected to be copied by hand; and as a picture to scan.

import { useRef, useState } from 'preact/hooks';
import { useApp } from '../app';

export function Invite() {
  const { id, words } = useApp();
  const [told, setTold] = useState<'copied' | 'select' | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const say = words.value;
  const url = `${location.origin}/t/${id}`;

  async function share(): Promise<void> {
    if (navigator.share) {
      try {
        await navigator.share({ title: say.text('app.title'), text: say.text('app.invite.text'), url });
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
    <section class="invite panel">
      <h2>{say.text('app.invite')}</h2>
      <div class="invite-ways">
        <div class="invite-link">
          <input
            ref={field}
            readonly
            data-testid="invite-link"
            aria-label={say.text('app.invite.link')}
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
        <img
          class="qr"
          src={`/t/${id}/qr.svg`}
          alt={say.text('app.invite.qr')}
          width="132"
          height="132"
          loading="lazy"
        />
      </div>
    </section>
  );
}
