import { describe, expect, it } from 'vitest';
import { isTalk, KEPT_LINES } from './chat';
import { fold, fromSnapshot } from './fold';
import type { Event } from './protocol';
import { createStore } from './store';
import { batchOf, saidOf, seatOf, snapshotOf, tableOf } from './test/builders';

describe('the lines of a table', () => {
  it('begin with the snapshot’s and go on with the events’, in order', () => {
    const table = fold(tableOf({ said: [saidOf('a'), saidOf('b')] }), saidOf('c'));
    expect(table.said.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('are the newest fifty', () => {
    const said = Array.from({ length: KEPT_LINES }, (_, index) => saidOf(`l${index}`));
    const table = fold(fold(tableOf({ said }), saidOf('x')), saidOf('y'));
    expect(table.said).toHaveLength(KEPT_LINES);
    expect([table.said[0]?.id, table.said[KEPT_LINES - 1]?.id]).toEqual(['l2', 'y']);
  });

  it('lose the one that the host took out', () => {
    const table = fold(tableOf({ said: [saidOf('a'), saidOf('b')] }), { type: 'unsaid', id: 'a' });
    expect(table.said.map(({ id }) => id)).toEqual(['b']);
    expect(fold(table, { type: 'unsaid', id: 'a' }).said).toEqual(table.said);
  });

  it('are each there once, however often a batch comes, and are not guessed over a gap', () => {
    let asked = 0;
    const store = createStore(() => {
      asked += 1;
    });
    store.ears.snapshot(snapshotOf());
    const first = batchOf(6, saidOf('a'));
    for (const batch of [first, first, batchOf(8, saidOf('c')), batchOf(7, saidOf('b')), first]) {
      store.ears.events(batch);
    }
    expect(store.table.value?.said.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(asked).toBe(1);
  });

  it('do not push the play out of the log', () => {
    const store = createStore(() => {});
    store.ears.snapshot(snapshotOf());
    store.ears.events(batchOf(6, { type: 'renamed', seat: 0, name: 'Aasha' }));
    store.ears.events(batchOf(7, saidOf('a')));
    expect(store.entries.value.map(({ seq }) => seq)).toEqual([6]);
  });

  it('are told from play', () => {
    const play: Event = { type: 'out', seat: 0 };
    expect(isTalk([saidOf('a'), { type: 'unsaid', id: 'a' }])).toBe(true);
    expect([isTalk([]), isTalk([saidOf('a'), play])]).toEqual([false, false]);
  });
});

describe('being muted', () => {
  it('is as the snapshot has it, and changes with the events', () => {
    const table = fromSnapshot(
      snapshotOf({ seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela', { muted: true })] }),
    );
    const on = fold(table, { type: 'muted', seat: 0, on: true });
    expect(on.seats.map(({ muted }) => muted)).toEqual([true, true]);
    const off = fold(on, { type: 'muted', seat: 1, on: false });
    // As the snapshot would say it: nothing where nobody is muted.
    expect(off.seats).toEqual([seatOf(0, 'Asha', { muted: true }), seatOf(1, 'Bela')]);
  });

  it('moves along with the seat', () => {
    const seats = [seatOf(1, 'Bela', { muted: true }), seatOf(3, 'Chand')];
    const table = fold(tableOf({ seats }), { type: 'moved', seats: [1, 3] });
    expect(table.seats.map(({ seat, muted }) => [seat, muted])).toEqual([
      [0, true],
      [1, undefined],
    ]);
  });
});
