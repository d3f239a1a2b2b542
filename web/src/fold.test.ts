import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fold, foldBatch, foldGame, foldPresence, fromSnapshot, type Table } from './fold';
import type { Event, GameEvent, GameView } from './protocol';
import { batchOf, playing, revealed, seatOf, snapshotOf, tableOf } from './test/builders';

const GOLDEN = '../tests/golden/folds.json';
interface Golden {
  games: { steps: { event: GameEvent; view: Omit<GameView, 'last'> }[] }[];
}

describe('the fold of a game', () => {
  it('gives what the engine gives, event by event', () => {
    expect(existsSync(GOLDEN), `${GOLDEN} is made by the engine's tests`).toBe(true);
    const golden = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Golden;
    expect(golden.games.length).toBeGreaterThan(0);
    for (const { steps } of golden.games) {
      let view: GameView | null = null;
      for (const step of steps) {
        view = foldGame(view, step.event);
        const { last: _, ...seen } = view as GameView;
        expect(seen).toEqual(step.view);
      }
    }
  });

  it('knows nothing before the deal', () => {
    expect(foldGame(null, { type: 'out', seat: 0 })).toBeNull();
  });

  it('keeps the newest reveal with what came of it', () => {
    const table = fromSnapshot(playing());
    const match = revealed(1, 0, '2D', 'KD', true);
    const captured: Event = { type: 'captured', seat: 0, cards: 2 };
    const after = foldBatch(
      table,
      batchOf(6, match, captured, { type: 'committed', game: 2, commitment: 'c2' }),
    );
    expect(after.game?.last).toEqual([match, captured]);
    expect(after.game).toMatchObject({
      n: 1,
      turn: 0,
      again: true,
      pile: { size: 0, top: null },
      collected: [2, 0],
    });
    expect([after.seq, after.mark, after.commitment]).toEqual([6, 'm6', 'c2']);
  });

  it('ends the phase with the game, and begins it with the deal', () => {
    const table = fromSnapshot(playing());
    const over = fold(table, { type: 'ended', reason: 'last_seat', winners: [0], held: [51, 0], seed: 's' });
    expect(over.phase).toBe('over');
    expect(over.game).toMatchObject({ turn: null, winners: [0], held: [51, 0] });
    const again = fold(over, {
      type: 'dealt',
      table: 't',
      game: 2,
      deck: 'standard',
      length: 'any',
      attempt: 0,
      stacks: [26, 26],
      spares: [],
      first: 0,
      cap: 5000,
      commitment: 'c2',
      nonces: ['0', '0'],
    });
    expect(again.phase).toBe('playing');
    expect(again.game).toMatchObject({ game: 2, n: 0, pile: { size: 0, top: null }, turn: 0 });
  });
});

describe('the fold of a table', () => {
  const run = (table: Table, ...events: Event[]): Table => events.reduce(fold, table);

  it('seats, renames and frees people between games', () => {
    const sat = run(
      tableOf(),
      { type: 'seated', seat: 3, name: 'Chand', kind: 'person' },
      { type: 'seated', seat: 2, name: 'computer-1', kind: 'computer' },
      { type: 'renamed', seat: 3, name: 'Chandra' },
    );
    expect(sat.seats.map(({ seat, name }) => [seat, name])).toEqual([
      [0, 'Asha'],
      [1, 'Bela'],
      [2, 'computer-1'],
      [3, 'Chandra'],
    ]);
    const gone = fold(sat, { type: 'left', seat: 3, why: 'left' });
    expect(gone.seats).toHaveLength(3);
    expect(gone.names[3]?.name).toBe('Chandra');
  });

  it('makes whoever leaves a watcher, and leaves no host behind', () => {
    const gone = fold(tableOf(), { type: 'left', seat: 0, why: 'removed' });
    expect(gone.you).toEqual({ seat: null, host: false, watching: true });
    expect(gone.host).toBeNull();
    expect(fold(gone, { type: 'host', seat: 1 }).host).toBe(1);
  });

  it('keeps the place of one who leaves during a game until the game ends', () => {
    const table = fromSnapshot(playing({}, { you: { seat: 0, host: true, watching: false } }));
    const left = fold(table, { type: 'left', seat: 1, why: 'left' });
    expect(left.seats[1]).toMatchObject({ name: 'Bela', present: false, away: true });
    expect(fold(left, { type: 'back', seat: 1 }).seats[1]).toMatchObject({ present: true, away: false });
    const over = run(
      left,
      { type: 'ended', reason: 'stopped', winners: [], held: [26, 25], seed: 's' },
      { type: 'left', seat: 1, why: 'left' },
    );
    expect(over.seats.map(({ seat }) => seat)).toEqual([0]);
  });

  it('moves everybody along when empty seats close up', () => {
    const table = tableOf({
      seats: [seatOf(1, 'Bela'), seatOf(3, 'Chand')],
      host: 3,
      you: { seat: 3, host: true, watching: false },
      phase: 'over',
      ready: [3],
    });
    const moved = fold(table, { type: 'moved', seats: [1, 3] });
    expect(moved.seats.map(({ seat, name }) => [seat, name])).toEqual([
      [0, 'Bela'],
      [1, 'Chand'],
    ]);
    expect([moved.host, moved.you.seat, moved.ready]).toEqual([1, 1, [1]]);
    expect(moved.names.map((named) => named?.name)).toEqual(['Bela', 'Chand']);
  });

  it('counts who is ready, and whoever sits down between games as ready', () => {
    const over = tableOf({ phase: 'over' });
    const table = run(
      over,
      { type: 'ready', seat: 1 },
      { type: 'ready', seat: 1 },
      { type: 'seated', seat: 2, name: 'Chand', kind: 'person' },
      { type: 'ready', seat: 0 },
    );
    expect(table.ready).toEqual([0, 1, 2]);
  });

  it('follows host, settings, absence and voice', () => {
    const table = run(
      tableOf(),
      { type: 'host', seat: 1 },
      { type: 'away', seat: 1 },
      { type: 'voice', seat: 0, on: true, epoch: 1 },
      { type: 'settings', settings: { ...tableOf().settings, locked: true } },
    );
    expect(table.you.host).toBe(false);
    expect(table.seats[1]).toMatchObject({ away: true, present: false });
    expect(table.seats[0]?.voice).toBe(true);
    expect(table.settings.locked).toBe(true);
    const opened = fold(table, { type: 'opened', settings: tableOf().settings, host: 0 });
    expect([opened.host, opened.settings.locked]).toEqual([0, false]);
  });

  it('takes presence in, computers being always there', () => {
    const table = tableOf({ seats: [seatOf(0, 'Asha'), seatOf(1, 'computer-1', { kind: 'computer' })] });
    const seen = foldPresence(table, { watching: 3, absent: [0, 1] });
    expect(seen.watching).toBe(3);
    expect(seen.seats.map(({ present }) => present)).toEqual([false, true]);
  });

  it('is left as it is by an event of a newer server', () => {
    const table = fromSnapshot(snapshotOf());
    expect(fold(table, { type: 'from_the_future' } as unknown as Event)).toBe(table);
  });
});

describe('how the table goes', () => {
  it('keeps who wishes to hurry and whether it is paused, from a snapshot and after, until the game ends', () => {
    const hurried = { seats: [1], on: false };
    let table = fromSnapshot(playing({}, { hurried, paused: true }));
    expect([table.hurried, table.paused]).toEqual([hurried, true]);
    table = fold(table, { type: 'hurried', seats: [0, 1], on: true });
    table = fold(table, { type: 'paused', on: false });
    expect([table.hurried, table.paused]).toEqual([{ seats: [0, 1], on: true }, false]);
    table = fold(table, { type: 'ended', reason: 'stopped', winners: [], held: [1, 1], seed: 's' });
    expect([table.hurried, table.paused]).toEqual([{ seats: [], on: false }, false]);
  });

  it('knows who is muted', () => {
    const table = fold(tableOf(), { type: 'muted', seat: 1, on: true });
    expect(table.seats.map(({ muted }) => muted)).toEqual([undefined, true]);
    expect(fold(table, { type: 'muted', seat: 1, on: false }).seats).toEqual(tableOf().seats);
  });

  it('counts a turn from the batch that brought it, and from the return of its seat', () => {
    let table = fromSnapshot(playing());
    expect(table.turnSince).toBe(1000);
    table = foldBatch(table, batchOf(6, revealed(1, 0, '7H', 'KD')));
    expect(table.turnSince).toBe(1006);
    table = foldBatch(table, batchOf(7, { type: 'ready', seat: 0 }));
    expect(table.turnSince).toBe(1006);
    table = foldBatch(table, batchOf(8, { type: 'back', seat: 1 }));
    expect(table.turnSince).toBe(1008);
  });
});
