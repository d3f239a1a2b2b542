import type { Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Connection, createConnection, type Ears, type Link } from './connection';
import type { Since } from './protocol';

/** A socket without a wire: tests say what arrives. */
class FakeSocket {
  connected = false;
  sent: [string, unknown][] = [];
  answer: () => Promise<unknown> = () => Promise.resolve({ ok: true });
  private readonly heard = new Map<string, (value: never) => void>();

  on(event: string, listener: (value: never) => void): this {
    this.heard.set(event, listener);
    return this;
  }
  connect(): void {
    this.connects += 1;
  }
  disconnect(): void {
    if (this.connected) this.arrive('disconnect', 'io client disconnect');
    this.connected = false;
  }
  timeout(): this {
    return this;
  }
  emitWithAck(command: string, payload: unknown): Promise<unknown> {
    this.sent.push([command, payload]);
    return this.answer();
  }
  connects = 0;
  arrive(event: string, value?: unknown): void {
    if (event === 'connect') this.connected = true;
    if (event === 'disconnect') this.connected = false;
    this.heard.get(event)?.(value as never);
  }
}

let socket: FakeSocket;
let auth: () => object;
let links: Link[];
let heard: [string, unknown][];
let since: Since | null;
let status: number;
let connection: Connection;

beforeEach(() => {
  vi.useFakeTimers();
  socket = new FakeSocket();
  links = [];
  heard = [];
  since = null;
  status = 200;
  const note = (name: string) => (value: unknown) => void heard.push([name, value]);
  const ears: Ears = {
    link: (link) => void links.push(link),
    snapshot: note('snapshot'),
    events: note('events'),
    you: note('you'),
    moment: note('moment'),
    presence: note('presence'),
    notice: note('notice'),
    since: () => since,
  };
  connection = createConnection('abc', ears, {
    makeSocket: (_, give) => {
      auth = give;
      return socket as unknown as Socket;
    },
    fetch: () =>
      status === 0 ? Promise.reject(new Error('offline')) : Promise.resolve(new Response('{}', { status })),
    random: () => 1,
    now: () => Date.now(),
  });
});

afterEach(() => {
  connection.close();
  vi.useRealTimers();
});

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const last = (): Link | undefined => links[links.length - 1];

async function connected(): Promise<void> {
  connection.open();
  await settle();
  socket.arrive('connect');
}

describe('connecting', () => {
  it('asks over HTTP first, then connects from where it was', async () => {
    await connected();
    expect(links.map(({ kind }) => kind)).toEqual(['connecting', 'live']);
    expect(auth()).toEqual({ table: 'abc', since: null });
    since = ['e', 7, 'm'];
    expect(auth()).toEqual({ table: 'abc', since: ['e', 7, 'm'] });
  });

  it('hands on everything it hears', async () => {
    await connected();
    for (const event of ['snapshot', 'events', 'you', 'moment', 'presence']) socket.arrive(event, event);
    socket.arrive('notice', { code: 'draining' });
    expect(heard.map(([name]) => name)).toEqual([
      'snapshot',
      'events',
      'you',
      'moment',
      'presence',
      'notice',
    ]);
  });

  it('ends where there is no table', async () => {
    status = 404;
    connection.open();
    await settle();
    expect(last()).toEqual({ kind: 'ended', code: 'no_table' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(socket.connects).toBe(0);
  });

  it('tries again after a quarter of a second, then ever later, at most five', async () => {
    status = 503;
    connection.open();
    await settle();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      const link = last();
      if (link?.kind !== 'lost') throw new Error('not lost');
      waits.push(link.retryAt - Date.now());
      await vi.advanceTimersByTimeAsync(waits[waits.length - 1] ?? 0);
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
    status = 0;
    await vi.advanceTimersByTimeAsync(5000);
    expect(last()?.kind).toBe('lost');
    status = 200;
    await vi.advanceTimersByTimeAsync(5000);
    socket.arrive('connect');
    expect(last()?.kind).toBe('live');
  });

  it('ends when it is refused for good, and waits when only for now', async () => {
    connection.open();
    await settle();
    socket.arrive('connect_error', Object.assign(new Error('x'), { data: { code: 'too_many' } }));
    expect(last()).toMatchObject({ kind: 'lost', code: 'too_many' });
    await vi.advanceTimersByTimeAsync(250);
    expect(socket.connects).toBe(2);
    socket.arrive('connect_error', Object.assign(new Error('x'), { data: { code: 'removed' } }));
    expect(last()).toEqual({ kind: 'ended', code: 'removed' });
  });
});

describe('a connection that goes', () => {
  it('is tried again, also when the server closed it', async () => {
    await connected();
    socket.arrive('disconnect', 'io server disconnect');
    expect(last()?.kind).toBe('lost');
    await vi.advanceTimersByTimeAsync(250);
    socket.arrive('connect');
    expect(last()?.kind).toBe('live');
  });

  it('stays away once another tab has the seat, until it is asked back', async () => {
    await connected();
    socket.arrive('notice', { code: 'replaced' });
    expect(last()).toEqual({ kind: 'ended', code: 'replaced' });
    await vi.advanceTimersByTimeAsync(60_000);
    connection.wake();
    expect(socket.connects).toBe(1);
    connection.open();
    await settle();
    expect(socket.connects).toBe(2);
  });

  it('does nothing more once it is closed', async () => {
    status = 0;
    connection.open();
    connection.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(socket.connects).toBe(0);
  });
});

describe('commands', () => {
  it('go out with their payload and come back with an answer', async () => {
    await connected();
    expect(await connection.send('reveal', { n: 4 })).toEqual({ ok: true });
    expect(socket.sent).toEqual([['reveal', { n: 4 }]]);
  });

  it('are not sent into nowhere', async () => {
    await expect(connection.send('reveal', { n: 4 })).rejects.toThrow('not connected');
  });
});

describe('waking', () => {
  it('asks to be caught up, once at a time', async () => {
    await connected();
    since = ['e', 7, 'm'];
    connection.wake();
    connection.wake();
    expect(socket.sent).toEqual([['sync', { since: ['e', 7, 'm'] }]]);
    await settle();
    connection.wake();
    expect(socket.sent).toHaveLength(2);
  });

  it('reconnects at once when there is no answer', async () => {
    await connected();
    socket.answer = () => Promise.reject(new Error('timeout'));
    connection.wake();
    await settle();
    expect(last()?.kind).toBe('lost');
    expect(socket.connects).toBe(2);
  });

  it('does not wait for its turn to retry', async () => {
    await connected();
    socket.arrive('disconnect', 'transport close');
    connection.wake();
    await settle();
    expect(socket.connects).toBe(2);
  });
});
