// What is drawn of the play, and when: the table as shown may lag the table as known by a reveal's motion (600 ms).
// It moves nothing itself (motion.ts does) and is never asked whether a tap counts. Invariant: `shown` always
// arrives at the newest table, at once when hidden, caught up with, or more than three behind.

import { type Signal, signal } from '@preact/signals';
import { isTalk } from './chat';
import { fold, type Table } from './fold';
import type { Entry } from './store';

/** What is on the table now, and the number of the last batch of it that was wholly drawn. */
export interface Scene {
  readonly table: Table;
  /** The entry whose sentence stands under the pile. */
  readonly entry: Entry | null;
}

/** How the stage moves things; each is a decoration that may be skipped. */
export interface Mover {
  /** A card flies from a seat to the pile, where it already lies. */
  fly(seat: number, ms: number): void;
  /** The pile sweeps to a seat as one; what it shows changes after `ms`. */
  sweep(seat: number, ms: number): void;
}

export interface Stage {
  readonly scene: Signal<Scene | null>;
  /** Draw one batch after what is still being drawn. */
  play(entry: Entry, after: Table): void;
  /** Draw the table as it is: no queue, no motion. */
  jump(table: Table, entry: Entry | null): void;
}

export interface StageOptions {
  hidden(): boolean;
  /** Whether a batch from `at` (ms by the store's clock) is old news: caught up with, not watched. */
  late(at: number): boolean;
  wait(ms: number, then: () => void): () => void;
}

const FLY_MS = 240;
const LOOK_MS = 180;
const SWEEP_MS = 180;
const MOST_BEHIND = 3;

interface Step {
  readonly entry: Entry;
  readonly after: Table;
}

/** Make a stage. */
export function createStage(mover: Mover, options: StageOptions): Stage {
  const scene = signal<Scene | null>(null);
  let queue: Step[] = [];
  let cancel: (() => void) | null = null;

  function jump(table: Table, entry: Entry | null): void {
    queue = [];
    cancel?.();
    cancel = null;
    scene.value = { table, entry };
  }

  function next(): void {
    cancel = null;
    const step = queue.shift();
    if (step) draw(step);
  }

  function draw({ entry, after }: Step): void {
    const revealed = entry.events.find((event) => event.type === 'revealed');
    if (!revealed) {
      scene.value = { table: after, entry: played(entry, scene.peek()?.entry ?? null) };
      next();
      return;
    }
    // Others wait behind this one: be quicker, so that the table never falls behind its people.
    const pace = queue.length > 0 ? 0.4 : 1;
    const captured = entry.events.some((event) => event.type === 'captured');
    scene.value = { table: captured ? upToReveal(entry) : after, entry };
    mover.fly(revealed.seat, FLY_MS * pace);
    if (!captured) {
      cancel = options.wait(FLY_MS * pace, next);
      return;
    }
    // The card that matched is seen on the pile before the pile goes.
    cancel = options.wait((FLY_MS + LOOK_MS) * pace, () => {
      mover.sweep(revealed.seat, SWEEP_MS * pace);
      cancel = options.wait(SWEEP_MS * pace, () => {
        scene.value = { table: after, entry };
        next();
      });
    });
  }

  return {
    scene,
    jump,
    play(entry, after) {
      const last = queue[queue.length - 1];
      // Chat moves nothing: it must not make the table seem behind.
      if (last && isTalk(entry.events)) {
        queue[queue.length - 1] = { ...last, after };
        return;
      }
      if (options.hidden() || options.late(entry.at) || queue.length >= MOST_BEHIND) {
        // The newest play may be one that still waits: it is told, though never moved.
        const passed = [...queue.map((step) => step.entry), entry];
        jump(
          after,
          passed.reduce((told, each) => played(each, told), scene.peek()?.entry ?? null),
        );
        return;
      }
      queue.push({ entry, after });
      if (!cancel) next();
    },
  };
}

/** A batch without play in it leaves the sentence of the play before it standing. */
function played(entry: Entry, before: Entry | null): Entry | null {
  const plays = entry.events.some(({ type }) => type === 'revealed' || type === 'dealt' || type === 'ended');
  return plays ? entry : before;
}

function upToReveal(entry: Entry): Table {
  let table = entry.before;
  for (const event of entry.events) {
    table = fold(table, event);
    if (event.type === 'revealed') break;
  }
  return table;
}
