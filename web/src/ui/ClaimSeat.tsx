// A link that brought a seat along was opened here: one tap takes the seat, so that no preview or mistake does.

import { useApp } from '../app';
import type { Table } from '../fold';
import { RefusedWords } from './Refused';
import { useSending } from './sending';

export function ClaimSeat({ token, table }: { token: string; table: Table }) {
  const { dialog, store, words } = useApp();
  const { send, refusal } = useSending();
  const say = words.value;

  async function take(): Promise<void> {
    const done = await send('claim', { token });
    if (!done) return;
    // The server's `you` says the same; this is for whoever is quicker.
    const now = store.table.peek() ?? table;
    if (typeof done.seat === 'number' && now.you.seat === null) {
      const you = { seat: done.seat, host: now.host === done.seat, watching: false };
      store.table.value = { ...now, you };
    }
    dialog.value = null;
  }

  return (
    <>
      <h2 id="dialog-title" tabIndex={-1}>
        {say.text('app.claim')}
      </h2>
      <p>{say.text('app.claim.text')}</p>
      <RefusedWords refusal={refusal} />
      <p class="row">
        <button type="button" class="main" data-testid="claim" onClick={() => void take()}>
          {say.text('app.claim.yes')}
        </button>
        <button
          type="button"
          data-testid="claim-no"
          onClick={() => {
            dialog.value = null;
          }}
        >
          {say.text('app.claim.no')}
        </button>
      </p>
    </>
  );
}
