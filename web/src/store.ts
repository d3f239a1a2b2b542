// What the app holds, as signals, and the one place where what the server says becomes it.
// It draws nothing and judges nothing: numbers that do not follow are answered by asking again, not by guessing.
// Invariant: `table` is a fold of one contiguous run of batches.

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { isTalk } from './chat';
import type { Ears, Link } from './connection';
import { foldBatch, foldPresence, fromSnapshot, type Table } from './fold';
import type { Event, Notice, RefusalCode, Reply, Since } from './protocol';

/** One batch as the log keeps it: what happened, and the table it happened to (for its names). */
export interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly events: readonly Event[];
  readonly before: Table;
}

/** What a refused command left to be said. */
export interface Refusal {
  readonly code: RefusalCode | 'no_answer' | 'nudged_lately';
  readonly seats: readonly number[];
}

export interface Store {
  readonly table: Signal<Table | null>;
  readonly link: Signal<Link>;
  readonly live: ReadonlySignal<boolean>;
  /** A word about the service as a whole: moving, or its store is down. */
  readonly weather: Signal<'draining' | 'store_down' | null>;
  readonly entries: Signal<readonly Entry[]>;
  readonly refusal: Signal<Refusal | null>;
  /** The number of the reveal that was sent and not yet answered. */
  readonly turning: Signal<number | null>;
  readonly auto: Signal<'off' | 'on' | 'dropped'>;
  /** When the table turns a card by itself (ms by the store's clock), or null. */
  readonly turnDue: Signal<number | null>;
  /** Whether history went back: the server lost what this page had already shown. */
  readonly rewound: Signal<boolean>;
  /** The newest nudge of the person here, and how many reveals were made when it came. */
  readonly nudged: Signal<{ readonly n: number } | null>;
  readonly ears: Ears;
  /** Be told of every batch taken in, or of a jump (no entry). */
  onChange(listener: (entry: Entry | null) => void): void;
}

const KEPT = 300;

/** Make the store. `resync` asks the server to catch this client up from `ears.since()`. */
export function createStore(resync: () => void): Store {
  const table = signal<Table | null>(null);
  const link = signal<Link>({ kind: 'connecting' });
  const weather = signal<'draining' | 'store_down' | null>(null);
  const entries = signal<readonly Entry[]>([]);
  const refusal = signal<Refusal | null>(null);
  const turning = signal<number | null>(null);
  const auto = signal<'off' | 'on' | 'dropped'>('off');
  const turnDue = signal<number | null>(null);
  const rewound = signal(false);
  const nudged = signal<{ readonly n: number } | null>(null);
  const listeners: ((entry: Entry | null) => void)[] = [];

  const tell = (entry: Entry | null): void => {
    for (const listener of listeners) listener(entry);
  };

  const since = (): Since | null => {
    const now = table.peek();
    return now && [now.epoch, now.seq, now.mark];
  };

  const ears: Ears = {
    link(next) {
      batch(() => {
        link.value = next;
        if (next.kind === 'live') {
          weather.value = null;
        } else if (auto.peek() === 'on') {
          auto.value = 'dropped';
        }
      });
    },
    snapshot(snapshot) {
      const before = table.peek();
      const now = fromSnapshot(snapshot);
      batch(() => {
        rewound.value = before !== null && before.epoch === now.epoch && now.seq < before.seq;
        table.value = now;
        turning.value = null;
        // What was just turned is said to whoever comes; what was missed before is the log's to tell.
        const last = now.game?.last ?? [];
        if (last.length > 0) {
          entries.value = [{ seq: now.seq, at: snapshot.serverTime, events: last, before: now }];
        } else if (rewound.value) {
          entries.value = [];
        }
      });
      tell(null);
    },
    events(incoming) {
      const before = table.peek();
      if (!before) return;
      const known = incoming.epoch === before.epoch;
      if (known && incoming.seq <= before.seq) return;
      // An empty batch counts too: what was committed is nobody's to see (a nonce).
      if (!known || incoming.seq !== before.seq + 1) {
        resync();
        return;
      }
      const now = foldBatch(before, incoming);
      const entry: Entry = { seq: incoming.seq, at: incoming.at, events: incoming.events, before };
      batch(() => {
        table.value = now;
        // Chat has a list of its own; it must not push the play out of the log.
        if (!isTalk(entry.events)) entries.value = [...entries.peek(), entry].slice(-KEPT);
        rewound.value = false;
        const sent = turning.peek();
        if (sent !== null && (now.game?.n ?? 0) >= sent) turning.value = null;
      });
      tell(entry);
    },
    you(you) {
      const now = table.peek();
      if (now) table.value = { ...now, you };
    },
    moment(moment) {
      turnDue.value = moment.turnDue;
    },
    presence(note) {
      const now = table.peek();
      if (now) table.value = foldPresence(now, note);
    },
    notice(notice: Notice) {
      if (notice.code === 'store_back') weather.value = null;
      else if (notice.code === 'nudged') nudged.value = { n: table.peek()?.game?.n ?? 0 };
      else if (notice.code === 'draining' || notice.code === 'store_down') weather.value = notice.code;
    },
    since,
  };

  return {
    table,
    link,
    live: computed(() => link.value.kind === 'live'),
    weather,
    entries,
    refusal,
    turning,
    auto,
    turnDue,
    rewound,
    nudged,
    ears,
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Read a reply's refusal, or null for a yes. */
export function refusalOf(reply: Reply): Refusal | null {
  return reply.ok ? null : { code: reply.code, seats: reply.seats ?? [] };
}

/** The newest entry of the log, or null while it is empty. */
export function newest(entries: readonly Entry[]): Entry | null {
  return entries[entries.length - 1] ?? null;
}
