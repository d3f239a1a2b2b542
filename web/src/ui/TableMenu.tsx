// The table's menu: what everybody here may do about their own seat, and the host about the table.

import { useApp } from '../app';
import type { Table } from '../fold';
import { AskOnce } from './AskOnce';
import { Invite } from './Invite';
import { HurrySwitch } from './Pace';
import { personAt } from './PersonMenu';
import { RefusedWords } from './Refused';
import { SayLine } from './Say';
import { Switch } from './Switch';
import { useSending } from './sending';

export function TableMenu({ table }: { table: Table }) {
  const say = useApp().words.value;
  return (
    <>
      <h2 id="dialog-title" tabIndex={-1}>
        {say.text('app.menu')}
      </h2>
      {table.you.seat !== null && <Mine table={table} />}
      {table.you.host && <Hosting table={table} />}
      {table.settings.kind === 'people' && <Invite />}
    </>
  );
}

function Mine({ table }: { table: Table }) {
  const { dialog, words } = useApp();
  const { send, refusal } = useSending();
  const say = words.value;
  const playing = table.phase === 'playing';
  return (
    <div class="choices">
      <RefusedWords refusal={refusal} />
      <HurrySwitch table={table} />
      <button
        type="button"
        data-testid="move"
        onClick={() => {
          dialog.value = { kind: 'move' };
        }}
      >
        {say.text('app.move')}
      </button>
      <AskOnce
        testid="leave"
        label={say.pieces('app.leave')}
        question={say.pieces(playing ? 'app.leave.ask.playing' : 'app.leave.ask')}
        yes={say.text('app.leave.yes')}
        act={() =>
          void send('leave', {}).then((done) => {
            if (done) dialog.value = null;
          })
        }
      />
    </div>
  );
}

function Hosting({ table }: { table: Table }) {
  const { dialog, words } = useApp();
  const { send, refusal } = useSending();
  const say = words.value;
  const playing = table.phase === 'playing';
  const people = table.settings.kind === 'people';
  const others = table.seats.filter(({ seat }) => personAt(table, seat) !== null);
  return (
    <section class="choices" aria-labelledby="hosting">
      <h3 id="hosting">{say.text('app.host')}</h3>
      <RefusedWords refusal={refusal} />
      {people && (
        <Switch testid="lock" on={table.settings.locked} change={(on) => void send('lock', { on })}>
          {say.text('app.host.lock')}
        </Switch>
      )}
      {playing ? (
        <p class="note">{say.text('app.host.settings.later')}</p>
      ) : (
        <button
          type="button"
          data-testid="settings"
          onClick={() => {
            dialog.value = { kind: 'settings' };
          }}
        >
          {say.text('app.host.settings')}
        </button>
      )}
      {others.length > 0 && (
        <>
          <h3 id="others">{say.text('app.host.people')}</h3>
          <ul class="choices" aria-labelledby="others">
            {others.map(({ seat, name }) => (
              <li key={seat}>
                <button
                  type="button"
                  data-testid={`about-${seat}`}
                  onClick={() => {
                    dialog.value = { kind: 'person', seat };
                  }}
                >
                  <SayLine sentence={say.pieces('app.host.person', { name: { name } })} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {playing && (
        <AskOnce
          testid="stop"
          label={say.pieces('app.host.stop')}
          question={say.pieces('app.host.stop.ask')}
          yes={say.text('app.host.stop.yes')}
          act={() =>
            void send('stop', {}).then((done) => {
              if (done) dialog.value = null;
            })
          }
        />
      )}
      <AskOnce
        testid="delete"
        label={say.pieces('app.host.delete')}
        question={say.pieces('app.host.delete.ask')}
        yes={say.text('app.host.delete.yes')}
        act={() => void send('delete', {})}
      />
    </section>
  );
}
