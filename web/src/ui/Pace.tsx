// How fast the table goes by its people's wish: hurried when all present agree, paused against computers.

import { useApp } from '../app';
import type { Table } from '../fold';
import { Switch } from './Switch';

/** The people whose wish counts: seated, and here. */
function present(table: Table): number[] {
  return table.seats
    .filter((seat) => seat.kind === 'person' && seat.present && !seat.away)
    .map(({ seat }) => seat);
}

/** How a person's wish to hurry stands; null where there is none to have. */
function hurryOf(table: Table): { mine: boolean; agree: number; all: number } | null {
  if (table.phase !== 'playing' || table.settings.kind !== 'people' || table.you.seat === null) return null;
  const here = present(table);
  const agree = here.filter((seat) => table.hurried.seats.includes(seat)).length;
  return { mine: table.hurried.seats.includes(table.you.seat), agree, all: here.length };
}

/** The wish to hurry, with what it means in words. */
export function HurrySwitch({ table }: { table: Table }) {
  const { command, words } = useApp();
  const say = words.value;
  const hurry = hurryOf(table);
  if (!hurry) return null;
  return (
    <div class="field">
      <Switch testid="hurry" on={hurry.mine} change={(on) => void command('hurry', { on })}>
        {say.text('app.hurry')}
      </Switch>
      <p class="note" data-testid="hurry-agree" data-value={hurry.agree}>
        {table.hurried.on
          ? say.text('app.hurry.on')
          : say.text('app.hurry.agree', { count: hurry.agree, present: hurry.all })}
      </p>
    </div>
  );
}

/** What stands beside the switch of your cards: pause against computers, and hurry once anybody wishes it. */
export function Pace({ table }: { table: Table }) {
  const { command, words } = useApp();
  const say = words.value;
  if (table.phase !== 'playing') return null;
  if (table.settings.kind === 'computers') {
    return (
      <button
        type="button"
        data-testid="pause"
        data-value={table.paused}
        onClick={() => void command('pause', { on: !table.paused })}
      >
        {say.text(table.paused ? 'app.pause.on' : 'app.pause')}
      </button>
    );
  }
  const hurry = hurryOf(table);
  if (!hurry || table.hurried.seats.length === 0) return null;
  return (
    <button
      type="button"
      class="hurry"
      data-testid="hurry-short"
      data-value={hurry.agree}
      aria-pressed={hurry.mine}
      title={say.text('app.hurry')}
      onClick={() => void command('hurry', { on: !hurry.mine })}
    >
      {say.text('app.hurry.short', { count: hurry.agree, present: hurry.all })}
    </button>
  );
}
