import { beforeEach, describe, expect, it } from 'vitest';
import { foldBatch, fromSnapshot, type Table } from './fold';
import type { Event } from './protocol';
import { createStage, type Stage } from './stage';
import type { Entry } from './store';
import { batchOf, playing, revealed, saidOf } from './test/builders';

let moves: string[];
let waits: { ms: number; then: () => void; over: boolean }[];
let hidden: boolean;
let lateBefore: number;
let stage: Stage;
let table: Table;

beforeEach(() => {
  moves = [];
  waits = [];
  hidden = false;
  lateBefore = 0;
  stage = createStage(
    { fly: (seat) => void moves.push(`fly ${seat}`), sweep: (seat) => void moves.push(`sweep ${seat}`) },
    {
      hidden: () => hidden,
      late: (at) => at < lateBefore,
      wait(ms, then) {
        const one = { ms, then, over: false };
        waits.push(one);
        return () => {
          one.over = true;
        };
      },
    },
  );
  table = fromSnapshot(playing());
  stage.jump(table, null);
});

function play(...events: Event[]): Entry {
  const batch = batchOf(table.seq + 1, ...events);
  const entry = { seq: batch.seq, at: batch.at, events, before: table };
  table = foldBatch(table, batch);
  stage.play(entry, table);
  return entry;
}

/** Let the newest wait that is still awaited pass. */
function pass(): number {
  const one = waits.find(({ over }) => !over);
  if (!one) throw new Error('nothing moves');
  one.over = true;
  one.then();
  return one.ms;
}

const shown = (): number | undefined => stage.scene.value?.table.game?.n;
const miss = (n: number): Event => revealed(n, (n + 1) % 2, '7H', 'KD');

describe('the stage', () => {
  it('shows a reveal at once, and moves meanwhile', () => {
    const entry = play(miss(1));
    expect(shown()).toBe(1);
    expect(stage.scene.value?.entry).toBe(entry);
    expect(moves).toEqual(['fly 0']);
  });

  it('lets the card that matched be seen before the pile goes, all within 600 ms', () => {
    play(revealed(1, 0, '7D', 'KD', true), { type: 'captured', seat: 0, cards: 2 });
    expect(stage.scene.value?.table.game?.pile).toEqual({ size: 2, top: '7D' });
    const first = pass();
    expect(moves).toEqual(['fly 0', 'sweep 0']);
    const second = pass();
    expect(first + second).toBeLessThanOrEqual(600);
    expect(stage.scene.value?.table.game).toMatchObject({ pile: { size: 0, top: null }, collected: [2, 0] });
  });

  it('plays what comes meanwhile after it, and quicker', () => {
    play(miss(1));
    play(miss(2));
    play(miss(3));
    expect(shown()).toBe(1);
    const alone = pass();
    expect(shown()).toBe(2);
    expect(pass()).toBeLessThan(alone);
    expect(shown()).toBe(3);
    pass();
    expect(waits.every(({ over }) => over)).toBe(true);
  });

  it('goes straight to the newest when more than three are behind', () => {
    for (let n = 1; n <= 5; n += 1) play(miss(n));
    expect(shown()).toBe(5);
    expect(waits.every(({ over }) => over)).toBe(true);
    play(miss(6));
    expect(shown()).toBe(6);
  });

  it('does not fall behind by chat, which moves nothing', () => {
    play(miss(1));
    play(miss(2));
    for (const id of ['a', 'b', 'c', 'd']) play(saidOf(id));
    expect(shown()).toBe(1);
    pass();
    expect(shown()).toBe(2);
    expect(stage.scene.value?.table.said).toHaveLength(4);
    pass();
    expect(moves).toEqual(['fly 0', 'fly 1']);
  });

  it('tells the newest play when something else makes it go straight there', () => {
    for (let n = 1; n <= 3; n += 1) play(miss(n));
    const newest = play(miss(4));
    play();
    expect(shown()).toBe(4);
    expect(stage.scene.value?.entry).toBe(newest);
  });

  it('has no queue while the page is hidden', () => {
    hidden = true;
    play(miss(1));
    play({ type: 'away', seat: 1 });
    expect(shown()).toBe(1);
    expect(moves).toEqual([]);
  });

  it('shows what was caught up with, and moves only what happens now', () => {
    lateBefore = 1000 + table.seq + 3;
    play(miss(1));
    play(miss(2));
    expect(shown()).toBe(2);
    expect(moves).toEqual([]);
    play(miss(3));
    expect(moves).toEqual(['fly 0']);
  });

  it('leaves the sentence of the play standing when something else happens', () => {
    const entry = play(miss(1));
    pass();
    play({ type: 'away', seat: 1 });
    expect(stage.scene.value?.entry).toBe(entry);
    expect(stage.scene.value?.table.seats[1]?.away).toBe(true);
  });
});
