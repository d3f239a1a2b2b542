// Whose lines a person here does not want to see: kept in this browser, for this table, and told to nobody.
// People are known by their names, which the server keeps apart at one table: a seat can pass to somebody else, and
// seats close up. Whoever is renamed while this page looks on stays hidden. The last few tables are remembered.

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { Store } from './store';

/** Every name that one hidden person went by here, the newest last. */
export type HiddenPerson = readonly string[];

export interface Hiding {
  readonly people: ReadonlySignal<readonly HiddenPerson[]>;
  hides(name: string): boolean;
  hide(name: string): void;
  show(name: string): void;
}

export interface Keeping {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

const KEY = 'rm.hidden';
const TABLES = 8;

type Kept = readonly (readonly [table: string, people: readonly HiddenPerson[]])[];

/** Begin with what this browser remembers of the table. */
export function createHiding(table: string, store: Store, memory: Keeping): Hiding {
  const people = signal(read(memory).find(([id]) => id === table)?.[1] ?? []);
  const names = computed(() => new Set(people.value.flat()));

  function keep(next: readonly HiddenPerson[]): void {
    people.value = next;
    const others = read(memory).filter(([id]) => id !== table);
    const all: Kept = next.length > 0 ? [[table, next], ...others] : others;
    memory.set(KEY, JSON.stringify(all.slice(0, TABLES)));
  }

  store.onChange((entry) => {
    for (const event of entry?.events ?? []) {
      const before = event.type === 'renamed' && entry?.before.names[event.seat]?.name;
      if (!before || event.type !== 'renamed' || !names.peek().has(before)) continue;
      keep(people.peek().map((person) => (person.includes(before) ? [...person, event.name] : person)));
    }
  });

  return {
    people,
    hides: (name) => names.value.has(name),
    hide: (name) => {
      if (!names.peek().has(name)) keep([...people.peek(), [name]]);
    },
    show: (name) => keep(people.peek().filter((person) => !person.includes(name))),
  };
}

/** Read what is kept; what is not as this app writes it counts as nothing. */
function read(memory: Keeping): Kept {
  try {
    const kept: unknown = JSON.parse(memory.get(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function isEntry(entry: unknown): entry is Kept[number] {
  return (
    Array.isArray(entry) &&
    typeof entry[0] === 'string' &&
    Array.isArray(entry[1]) &&
    entry[1].every(isStrings)
  );
}
