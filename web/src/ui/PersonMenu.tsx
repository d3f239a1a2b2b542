// What the host can do about one person: mute, hand the table over, remove.

import { useApp } from '../app';
import type { Table } from '../fold';
import type { SeatView } from '../protocol';
import { AskOnce } from './AskOnce';
import { RefusedWords } from './Refused';
import { Say, SayLine } from './Say';
import { useSending } from './sending';

/** The person at a seat, who is not oneself; null for nobody, a computer or oneself. */
export function personAt(table: Table, seat: number): SeatView | null {
  const found = table.seats.find((other) => other.seat === seat);
  return found && found.kind === 'person' && seat !== table.you.seat ? found : null;
}

export function PersonMenu({ table, seat }: { table: Table; seat: number }) {
  const { dialog, words } = useApp();
  const { send, refusal } = useSending();
  const say = words.value;
  const person = personAt(table, seat);
  if (!person) return null;
  const name = { name: person.name };
  const close = (): void => {
    dialog.value = null;
  };
  return (
    <>
      <h2 id="dialog-title" tabIndex={-1}>
        <Say sentence={[name]} />
      </h2>
      <RefusedWords refusal={refusal} />
      <div class="choices">
        {table.settings.chat !== 'off' && (
          <button
            type="button"
            data-testid="mute"
            data-value={person.muted ?? false}
            onClick={() => void send('mute', { seat, on: !person.muted })}
          >
            <SayLine sentence={say.pieces(person.muted ? 'app.host.unmute' : 'app.host.mute', { name })} />
          </button>
        )}
        {person.present && !person.away && (
          <AskOnce
            testid="hand"
            label={say.pieces('app.host.hand', { name })}
            question={say.pieces('app.host.hand.ask', { name })}
            yes={say.text('app.host.hand.yes')}
            act={() => void send('host', { seat }).then((done) => done && close())}
          />
        )}
        <AskOnce
          testid="remove"
          label={say.pieces('app.host.remove', { name })}
          question={say.pieces('app.host.remove.ask', { name })}
          yes={say.text('app.host.remove.yes')}
          act={() => void send('remove', { seat }).then((done) => done && close())}
        />
      </div>
    </>
  );
}
