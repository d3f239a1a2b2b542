// What the app holds, as signals, and the one place where what the server says becomes it.
// It draws nothing and judges nothing: numbers that do not follow are answered by asking again, not by guessing.
// Invariant: `table` is a fold of one contiguous run of batches.

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { isTalk } from './chat';
import type { Ears, Link } from './connection';
import { comingOf, foldBatch, foldPresence, fromSnapshot, type Table } from './fold';
import type { Event, Notice, RefusalCode, Reply, Since, You } from './protocol';

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
  /** The setting that will not do, where it is about one. */
  readonly field?: string;
}

export const NO_ANSWER: Refusal = { code: 'no_answer', seats: [] };

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
  /** The newest nudge of the person here, and the reveal that was to come then. */
  readonly nudged: Signal<{ readonly coming: string } | null>;
  /** Whether this person's seat was taken along to another device, so that this one watches. */
  readonly moved: Signal<boolean>;
  /** The store's clock less this machine's (ms), as well as batches tell it. */
  readonly skew: Signal<number>;
  readonly ears: Ears;
  /** Be told of every batch taken in, or of a jump (no entry). */
  onChange(listener: (entry: Entry | null) => void): void;
}

const KEPT = 300;

/** Make the store. `resync` asks the server to catch this client up from `ears.since()`. */
export function createStore(resync: () => void, now = Date.now): Store {
  const table = signal<Table | null>(null);
  const link = signal<Link>({ kind: 'connecting' });
  const weather = signal<'draining' | 'store_down' | null>(null);
  const entries = signal<readonly Entry[]>([]);
  const refusal = signal<Refusal | null>(null);
  const turning = signal<number | null>(null);
  const auto = signal<'off' | 'on' | 'dropped'>('off');
  const turnDue = signal<number | null>(null);
  const rewound = signal(false);
  const nudged = signal<{ readonly coming: string } | null>(null);
  const moved = signal(false);
  const skew = signal(0);
  const listeners: ((entry: Entry | null) => void)[] = [];

  const tell = (entry: Entry | null): void => {
    for (const listener of listeners) listener(entry);
  };

  const since = (): Since | null => {
    const known = table.peek();
    return known && [known.epoch, known.seq, known.mark];
  };

  /** A seat that is lost with no word of leaving went along to another device; auto-reveal is lost with any seat. */
  const seen = (before: Table, you: You, seats: Table['seats']): void => {
    const mine = before.seats.find(({ seat }) => seat === before.you.seat);
    if (you.seat === null) auto.value = 'off';
    if (you.seat !== null) moved.value = false;
    // With nobody of that name there, the seat was given up for them, and nobody told.
    else if (mine && seats.some(({ name }) => name === mine.name)) moved.value = true;
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
      const next = fromSnapshot(snapshot);
      batch(() => {
        rewound.value = before !== null && before.epoch === next.epoch && next.seq < before.seq;
        table.value = next;
        skew.value = snapshot.serverTime - now();
        if (before) seen(before, next.you, next.seats);
        turning.value = null;
        // What was just turned is said to whoever comes; what was missed before is the log's to tell.
        const last = next.game?.last ?? [];
        if (last.length > 0) {
          entries.value = [{ seq: next.seq, at: snapshot.serverTime, events: last, before: next }];
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
      const next = foldBatch(before, incoming);
      const entry: Entry = { seq: incoming.seq, at: incoming.at, events: incoming.events, before };
      batch(() => {
        table.value = next;
        // An old batch caught up with says only how far the store's clock is at least.
        skew.value = Math.max(skew.peek(), incoming.at - now());
        // Chat has a list of its own; it must not push the play out of the log.
        if (!isTalk(entry.events)) entries.value = [...entries.peek(), entry].slice(-KEPT);
        rewound.value = false;
        const sent = turning.peek();
        if (sent !== null && (next.game?.n ?? 0) >= sent) turning.value = null;
      });
      tell(entry);
    },
    you(you) {
      const before = table.peek();
      if (!before) return;
      batch(() => {
        seen(before, you, before.seats);
        table.value = { ...before, you };
      });
    },
    moment(moment) {
      turnDue.value = moment.turnDue;
    },
    presence(note) {
      const before = table.peek();
      if (before) table.value = foldPresence(before, note);
    },
    notice(notice: Notice) {
      if (notice.code === 'store_back') weather.value = null;
      else if (notice.code === 'nudged') {
        const game = table.peek()?.game;
        nudged.value = game ? { coming: comingOf(game) } : null;
      } else if (notice.code === 'draining' || notice.code === 'store_down') weather.value = notice.code;
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
    moved,
    skew,
    ears,
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Read a reply's refusal, or null for a yes. */
export function refusalOf(reply: Reply): Refusal | null {
  if (reply.ok) return null;
  const refusal = { code: reply.code, seats: reply.seats ?? [] };
  return reply.field === undefined ? refusal : { ...refusal, field: reply.field };
}

/** The newest entry of the log, or null while it is empty. */
export function newest(entries: readonly Entry[]): Entry | null {
  return entries[entries.length - 1] ?? null;
}
