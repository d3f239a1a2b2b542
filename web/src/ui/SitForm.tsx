// A name and a seat; or another name for who already has one.

import { useState } from 'preact/hooks';
import { useApp } from '../app';
import type { Table } from '../fold';

const NAME = 'rm.name';

/** The lowest free seat, or null when the table is full. */
export function freeSeat(table: Table): number | null {
  for (let seat = 0; seat < table.settings.seats; seat += 1) {
    if (!table.seats.some((taken) => taken.seat === seat)) return seat;
  }
  return null;
}

export function SitForm({ table }: { table: Table }) {
  const { actions, memory, watching, words } = useApp();
  const mine = table.seats.find(({ seat }) => seat === table.you.seat);
  const [name, setName] = useState(mine?.name ?? memory.get(NAME) ?? '');
  const say = words.value;
  const full = freeSeat(table) === null;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    // From the field itself: a quick thumb submits before the last letter has been drawn.
    const written = String(new FormData(event.currentTarget as HTMLFormElement).get('name') ?? '');
    if (mine) void actions.rename(written);
    else void actions.sit(written);
  }

  if (!mine && full) return <p class="note">{say.text('app.sit.full')}</p>;
  return (
    <form class="sit" onSubmit={submit}>
      <label for="name">{say.text('app.name')}</label>
      <div class="row">
        <input
          id="name"
          data-testid="name"
          name="name"
          dir="auto"
          autocomplete="nickname"
          value={name}
          placeholder={say.text('app.name.hint')}
          onInput={(event) => {
            setName(event.currentTarget.value);
            memory.set(NAME, event.currentTarget.value);
          }}
        />
        {mine ? (
          <button type="submit" disabled={name === mine.name}>
            {say.text('app.rename')}
          </button>
        ) : (
          <button type="submit" class="main" data-testid="sit">
            {say.text('app.sit')}
          </button>
        )}
      </div>
      {!mine && !watching.value && table.settings.watchers && (
        <button type="button" class="quiet" data-testid="watch" onClick={() => (watching.value = true)}>
          {say.text('app.watch')}
        </button>
      )}
      {!mine && watching.value && <p class="note">{say.text('app.watch.now')}</p>}
    </form>
  );
}
