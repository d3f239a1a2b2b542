// How the table is set up, for its host between games: each change is sent as it is made, and the server judges.
// A refusal stands beside the field that it is about.

import { useState } from 'preact/hooks';
import { useApp } from '../app';
import { paceName } from '../changes';
import type { Table } from '../fold';
import type { Settings } from '../protocol';
import type { Key } from '../words';
import { RefusedWords } from './Refused';
import { Switch } from './Switch';
import { useSending } from './sending';

const DECKS = ['standard', 'double', 'leftovers'] as const;
const LENGTHS = ['any', 'short', 'medium', 'long'] as const;
const CHATS = ['open', 'phrases', 'off'] as const;
const PACES = [0.5, 1, 2] as const;
const FEWEST = 2;

/** The most seats that a deck has cards for. */
const mostSeats = (deck: Settings['deck']): number => (deck === 'double' ? 8 : 6);

export function SettingsForm({ table }: { table: Table }) {
  const { words } = useApp();
  const { send, refusal } = useSending();
  const [changed, setChanged] = useState('');
  const say = words.value;
  const now = table.settings;

  function change(part: Partial<Settings>): void {
    setChanged(Object.keys(part)[0] ?? '');
    void send('settings', { settings: part });
  }

  /** Why this field's change was refused; the server may name another field than the one that was changed. */
  const wrong = (field: keyof Settings) =>
    (refusal?.field ?? changed) === field ? <RefusedWords refusal={refusal} /> : null;

  const choice = <T extends string | number>(
    field: 'seats' | 'deck' | 'length' | 'chat' | 'pace',
    values: readonly T[],
    name: (value: T) => string,
  ) => (
    <div class="field">
      <label for={`set-${field}`}>{say.text(`app.settings.label.${field}`)}</label>
      <select
        id={`set-${field}`}
        data-testid={`set-${field}`}
        value={String(now[field])}
        onChange={(event) => {
          const wanted = values[event.currentTarget.selectedIndex];
          // The server's word changes it, not the finger.
          event.currentTarget.value = String(now[field]);
          if (wanted !== undefined) change({ [field]: wanted });
        }}
      >
        {values.map((value) => (
          <option key={value} value={String(value)}>
            {name(value)}
          </option>
        ))}
      </select>
      {wrong(field)}
    </div>
  );

  const computers = now.kind === 'computers';
  const counts = Array.from({ length: mostSeats(now.deck) - FEWEST + 1 }, (_, more) => FEWEST + more);
  return (
    <>
      <h2 id="dialog-title" tabIndex={-1}>
        {say.text('app.host.settings')}
      </h2>
      <div class="fields">
        {computers && choice('pace', PACES, (pace) => say.text(`app.settings.pace.${paceName(pace)}` as Key))}
        {!computers && (
          <>
            {choice('seats', counts, say.number)}
            {choice('deck', DECKS, (deck) => say.text(`app.settings.deck.${deck}`))}
            {choice('length', LENGTHS, (length) => say.text(`app.settings.length.${length}`))}
            {choice('chat', CHATS, (chat) => say.text(`app.settings.chat.${chat}`))}
            <div class="field">
              <Switch testid="set-watchers" on={now.watchers} change={(watchers) => change({ watchers })}>
                {say.text('app.settings.watchers.on')}
              </Switch>
              {wrong('watchers')}
            </div>
            <div class="field">
              <Switch
                testid="set-locked"
                on={now.locked}
                change={(on) => {
                  setChanged('locked');
                  void send('lock', { on });
                }}
              >
                {say.text('app.host.lock')}
              </Switch>
              {wrong('locked')}
            </div>
          </>
        )}
      </div>
    </>
  );
}
