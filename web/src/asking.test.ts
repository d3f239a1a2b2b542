import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Command, createAsk, createCommand } from './asking';
import type { Reply } from './protocol';
import { createStore, type Store } from './store';

let store: Store;
let command: Command;
let sent: unknown[];
let answers: (Reply | Error)[];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  answers = [];
  store = createStore(() => {});
  const send = (name: string, payload: object): Promise<Reply> => {
    sent.push([name, payload]);
    const answer = answers.shift() ?? { ok: true };
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  let drawn = 0;
  command = createCommand(createAsk(store, { send }), () => `id${++drawn}`);
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a command', () => {
  it('is asked again under the same id until it is answered', async () => {
    store.ears.link({ kind: 'live' });
    answers = [new Error('timeout'), new Error('timeout'), { ok: false, code: 'not_there', message: '' }];
    expect(await command('mute', { seat: 1, on: true })).toMatchObject({ code: 'not_there' });
    expect(sent).toEqual(Array(3).fill(['mute', { id: 'id1', seat: 1, on: true }]));
    await command('lock', { on: true });
    expect(sent[3]).toEqual(['lock', { id: 'id2', on: true }]);
  });

  it('waits for the connection, but not for ever', async () => {
    const asked = command('lock', { on: true });
    await vi.advanceTimersByTimeAsync(500);
    expect(sent).toEqual([]);
    store.ears.link({ kind: 'live' });
    expect(await asked).toEqual({ ok: true });
    store.ears.link({ kind: 'lost', retryAt: 0, code: null });
    const lost = command('lock', { on: false });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await lost).toBeNull();
  });

  it('is given up at once where there is no table any more', async () => {
    store.ears.link({ kind: 'ended', code: 'deleted' });
    expect(await command('delete', {})).toBeNull();
  });
});
