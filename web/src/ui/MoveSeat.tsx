// The link by which another device of the same person takes their seat: to scan, to share, and for two minutes.

import { useEffect, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { useApp } from '../app';
import { RefusedWords } from './Refused';
import { ShareLink } from './ShareLink';
import { useSending } from './sending';

const VALID_MS = 120_000;

export function MoveSeat() {
  const { clock, words } = useApp();
  const { send, refusal } = useSending();
  const [made, setMade] = useState<{ url: string; until: number } | null>(null);
  const say = words.value;

  async function make(): Promise<void> {
    setMade(null);
    const asked = clock.peek();
    const done = await send('move', {});
    // Counted from the asking, so that it is never said to be valid when it is not.
    if (done?.url) setMade({ url: done.url, until: asked + VALID_MS });
  }
  useEffect(() => void make(), []);

  const seconds = made ? Math.max(0, Math.ceil((made.until - clock.value) / 1000)) : 0;
  return (
    <>
      <h2 id="dialog-title" tabIndex={-1}>
        {say.text('app.move')}
      </h2>
      <p>{say.text('app.move.text')}</p>
      <RefusedWords refusal={refusal} />
      {made && seconds > 0 && (
        <>
          <div class="invite-ways">
            <ShareLink
              url={made.url}
              label={say.text('app.move.link')}
              text={say.text('app.move')}
              testid="move-link"
            />
            <Code text={made.url} label={say.text('app.move.qr')} />
          </div>
          {/* Not read out each second: who asks is told. */}
          <p class="note" data-testid="move-left" data-value={seconds}>
            {say.text('app.move.left', { seconds })}
          </p>
        </>
      )}
      {!made && !refusal && <p class="note">{say.text('app.move.making')}</p>}
      {((made && seconds === 0) || refusal) && (
        <>
          {made && (
            <p class="note" role="status">
              {say.text('app.move.old')}
            </p>
          )}
          <button type="button" class="main" data-testid="move-again" onClick={() => void make()}>
            {say.text('app.move.again')}
          </button>
        </>
      )}
    </>
  );
}

/** A QR code, drawn here: the token of the link is for no server's log. */
function Code({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      class="qr qr-drawn"
      role="img"
      aria-label={label}
      data-testid="move-qr"
      viewBox={`0 0 ${size} ${size}`}
      width="176"
      height="176"
      shape-rendering="crispEdges"
    >
      <path d={dark.join('')} />
    </svg>
  );
}
