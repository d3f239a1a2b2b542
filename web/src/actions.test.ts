import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Actions, createActions } from './actions';
import type { Commands, Reply } from './protocol';
import { createStore, type Store } from './store';
import { batchOf, gameOf, playing, revealed, seatOf, settings, snapshotOf } from './test/builders';

type Answer = Reply | Error;
let store: Store;
let actions: Actions;
let sent: [string, Record<string, unknown>][];
let answers: Record<string, Answer[]>;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  answers = {};
  store = createStore(() => {});
  let drawn = 0;
  const connection = {
    send<K extends keyof Commands>(command: K, payload: Commands[K]): Promise<Reply> {
      sent.push([command, payload as unknown as Record<string, unknown>]);
      const answer = answers[command]?.shift() ?? { ok: true };
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as Reply);
    },
  };
  const hex = (bytes: number): string => {
    drawn += 1;
    return String(drawn).padStart(bytes * 2, '0');
  };
  actions = createActions(store, connection, { hex });
  store.ears.link({ kind: 'live' });
});

afterEach(() => {
  vi.useRealTimers();
});

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const commands = (): string[] => sent.map(([command]) => command);
const refused = (code: 'bad_name' | 'turning' | 'not_ready' | 'full'): Reply => ({
  ok: false,
  code,
  message: '',
});
const watching = { you: { seat: null, host: false, watching: true } };

describe('turning a card', () => {
  it('names the reveal it means to make, once', async () => {
    store.ears.snapshot(playing({ n: 6 }));
    void actions.reveal();
    void actions.reveal();
    expect(store.turning.value).toBe(7);
    await settle();
    expect(sent).toEqual([['reveal', { n: 7 }]]);
    expect(store.turning.value).toBeNull();
  });

  it('asks again when there was no answer', async () => {
    store.ears.snapshot(playing());
    answers.reveal = [new Error('timeout'), { ok: true }];
    await actions.reveal();
    expect(sent).toEqual([
      ['reveal', { n: 1 }],
      ['reveal', { n: 1 }],
    ]);
    expect(store.refusal.value).toBeNull();
  });

  it('waits for the connection to come back, but not for ever', async () => {
    store.ears.snapshot(playing());
    store.ears.link({ kind: 'lost', retryAt: 0, code: null });
    void actions.reveal();
    await vi.advanceTimersByTimeAsync(3000);
    expect(sent).toEqual([]);
    store.ears.link({ kind: 'live' });
    await settle();
    expect(commands()).toEqual(['reveal']);

    store.ears.link({ kind: 'lost', retryAt: 0, code: null });
    void actions.reveal();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(store.refusal.value).toEqual({ code: 'no_answer', seats: [] });
  });

  it('gives up when the table ended', async () => {
    store.ears.snapshot(playing());
    store.ears.link({ kind: 'lost', retryAt: 0, code: null });
    void actions.reveal();
    store.ears.link({ kind: 'ended', code: 'deleted' });
    await settle();
    expect(store.turning.value).toBeNull();
  });

  it('says nothing when another card came first', async () => {
    store.ears.snapshot(playing());
    answers.reveal = [refused('turning')];
    await actions.reveal();
    expect(store.refusal.value).toBeNull();
  });

  it('does nothing without a game', async () => {
    await actions.reveal();
    expect(sent).toEqual([]);
  });
});

describe('a seat', () => {
  it('is known from the answer, and its refusal is kept to be said', async () => {
    store.ears.snapshot(snapshotOf(watching));
    answers.sit = [refused('full'), { ok: true, seat: 2 }];
    await actions.sit('Chand', 3);
    expect(store.refusal.value?.code).toBe('full');
    await actions.sit('Chand');
    expect(store.refusal.value).toBeNull();
    expect(store.table.value?.you).toEqual({ seat: 2, host: false, watching: false });
    expect(sent[0]?.[1]).toMatchObject({ name: 'Chand', seat: 3 });
  });

  it('can be renamed and left, each with an id of its own', async () => {
    store.ears.snapshot(snapshotOf(watching));
    await actions.rename('Chandra');
    await actions.leave();
    await actions.stop();
    expect(commands()).toEqual(['rename', 'leave', 'stop']);
    expect(new Set(sent.map(([, payload]) => payload.id)).size).toBe(3);
  });
});

describe('the nonce', () => {
  it('is given once for every commitment, after it was seen, by the seated only', async () => {
    store.ears.snapshot(snapshotOf(watching));
    await settle();
    expect(sent).toEqual([]);
    store.ears.you({ seat: 0, host: true, watching: false });
    await settle();
    store.ears.events(batchOf(6));
    await settle();
    expect(commands()).toEqual(['nonce']);
    expect(sent[0]?.[1].nonce).toMatch(/^[0-9]{32}$/);
    store.ears.events(batchOf(7, { type: 'committed', game: 1, commitment: 'c9' }));
    await settle();
    expect(commands()).toEqual(['nonce', 'nonce']);
  });

  it('is not given while a game is on', async () => {
    store.ears.snapshot(playing());
    await settle();
    expect(sent).toEqual([]);
  });

  it('is followed by the start at a computer table', async () => {
    store.ears.snapshot(snapshotOf({ settings: { ...settings, kind: 'computers', computers: 1, seats: 2 } }));
    await settle();
    expect(commands()).toEqual(['nonce', 'start']);
  });
});

describe('auto-reveal', () => {
  it('is on as soon as it is asked for, and off again if refused', async () => {
    store.ears.snapshot(playing());
    await actions.auto(true);
    expect(store.auto.value).toBe('on');
    answers.auto = [new Error('timeout'), refused('full')];
    await actions.auto(true);
    expect([store.auto.value, store.refusal.value?.code]).toEqual(['off', 'no_answer']);
    await actions.auto(true);
    expect([store.auto.value, store.refusal.value?.code]).toEqual(['off', 'full']);
  });
});

describe('another game', () => {
  const over = (ready: number[], host = true) =>
    snapshotOf({
      phase: 'over',
      game: gameOf({ turn: null, winners: [0], held: [51, 0] }),
      ready,
      you: { seat: 0, host, watching: false },
      host: host ? 0 : 1,
      seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela'), seatOf(2, 'Gone', { present: false, away: true })],
    });

  it('is one tap for a guest', async () => {
    store.ears.snapshot(over([], false));
    await actions.again();
    expect(commands()).toEqual(['nonce', 'ready']);
  });

  it('begins at the host’s tap when everybody present is ready', async () => {
    store.ears.snapshot(over([1]));
    await actions.again();
    expect(commands()).toEqual(['nonce', 'start']);
  });

  it('begins by itself when the last of the others taps after the host', async () => {
    store.ears.snapshot(over([]));
    await actions.again();
    expect(commands()).toEqual(['nonce', 'ready']);
    store.ears.events(batchOf(6, { type: 'ready', seat: 0 }));
    await settle();
    expect(commands()).toEqual(['nonce', 'ready']);
    store.ears.events(batchOf(7, { type: 'ready', seat: 1 }));
    await settle();
    expect(commands()).toEqual(['nonce', 'ready', 'start']);
  });

  it('is forgotten when somebody else became host', async () => {
    store.ears.snapshot(over([]));
    await actions.again();
    store.ears.events(batchOf(6, { type: 'host', seat: 1 }));
    store.ears.events(batchOf(7, { type: 'ready', seat: 1 }));
    store.ears.events(batchOf(8, { type: 'host', seat: 0 }));
    await settle();
    expect(commands()).not.toContain('start');
  });

  it('needs a table', async () => {
    await actions.again();
    expect(sent).toEqual([]);
    store.ears.snapshot(playing());
    store.ears.events(batchOf(6, revealed(1, 0, '7H', 'KD')));
  });
});
