// The one connection to the table's server: Socket.IO, retried with its own clock so that people can be told when.
// It hands on what it hears and keeps nothing of the table. Invariant: after `ended` it never connects by itself.

import type { Socket } from 'socket.io-client';
import type {
  Commands,
  EventsMessage,
  Moment,
  Notice,
  PresenceNote,
  RefusalCode,
  Reply,
  Since,
  Snapshot,
  You,
} from './protocol';

export type EndCode = 'no_table' | 'closed' | 'removed' | 'replaced' | 'deleted' | 'expired';

/** How the connection stands; `retryAt` is on this machine's clock (ms), `code` says why it waits, if known. */
export type Link =
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'lost'; retryAt: number; code: RefusalCode | null }
  | { kind: 'ended'; code: EndCode };

/** What the connection tells. `since` is asked at every connect: from where on to be caught up. */
export interface Ears {
  link(link: Link): void;
  snapshot(snapshot: Snapshot): void;
  events(batch: EventsMessage): void;
  you(you: You): void;
  moment(moment: Moment): void;
  presence(note: PresenceNote): void;
  notice(notice: Notice): void;
  since(): Since | null;
}

export interface Surroundings {
  makeSocket(table: string, auth: () => object): Socket;
  fetch: typeof fetch;
  random(): number;
  now(): number;
}

export interface Connection {
  open(): void;
  close(): void;
  /** Send a command. Rejects when no answer came: whether it was done is then unknown. */
  send<K extends keyof Commands>(command: K, payload: Commands[K]): Promise<Reply>;
  /** Compare with the server, as after sleep; reconnect at once if it is silent. */
  wake(): void;
}

const ANSWER_MS = 5000;
const WAKE_MS = 2000;
const FETCH_MS = 5000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5000;
const ENDS: ReadonlySet<string> = new Set([
  'no_table',
  'closed',
  'removed',
  'replaced',
  'deleted',
  'expired',
]);

const isEnd = (code: unknown): code is EndCode => typeof code === 'string' && ENDS.has(code);

/** Make the connection to one table; `open` begins it. */
export function createConnection(table: string, ears: Ears, around: Surroundings): Connection {
  let socket: Socket | null = null;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let wanted = false;
  let syncing = false;

  function end(code: EndCode): void {
    wanted = false;
    clearTimeout(retry);
    socket?.disconnect();
    ears.link({ kind: 'ended', code });
  }

  function later(code: RefusalCode | null = null): void {
    if (!wanted) return;
    clearTimeout(retry);
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
    const wait = longest * (0.5 + around.random() / 2);
    failures += 1;
    ears.link({ kind: 'lost', retryAt: around.now() + wait, code });
    retry = setTimeout(() => void begin(), wait);
  }

  /** Ask for the table over HTTP first: that sets the cookie, which says who this is. */
  async function begin(): Promise<void> {
    clearTimeout(retry);
    try {
      const answer = await around.fetch(`/api/tables/${encodeURIComponent(table)}`, {
        headers: { accept: 'application/json' },
        // A half-dead network answers nothing for minutes.
        signal: AbortSignal.timeout(FETCH_MS),
      });
      if (!wanted) return;
      if (answer.status === 404) return end('no_table');
      if (!answer.ok) return later();
    } catch {
      return later();
    }
    socket ??= listen(around.makeSocket(table, () => ({ table, since: ears.since() })));
    socket.disconnect();
    socket.connect();
  }

  function listen(made: Socket): Socket {
    made.on('connect', () => {
      failures = 0;
      ears.link({ kind: 'live' });
    });
    made.on('connect_error', (error: Error & { data?: { code?: RefusalCode } }) => {
      const code = error.data?.code ?? null;
      if (isEnd(code)) end(code);
      else later(code);
    });
    made.on('disconnect', (reason: string) => {
      // Our own closing is followed by a connect or an end, told elsewhere.
      if (reason !== 'io client disconnect') later();
    });
    made.on('snapshot', (snapshot: Snapshot) => ears.snapshot(snapshot));
    made.on('events', (batch: EventsMessage) => ears.events(batch));
    made.on('you', (you: You) => ears.you(you));
    made.on('moment', (moment: Moment) => ears.moment(moment));
    made.on('presence', (note: PresenceNote) => ears.presence(note));
    made.on('notice', (notice: Notice) => {
      if (isEnd(notice.code)) end(notice.code);
      else ears.notice(notice);
    });
    return made;
  }

  function open(): void {
    wanted = true;
    failures = 0;
    ears.link({ kind: 'connecting' });
    void begin();
  }

  return {
    open,
    close() {
      wanted = false;
      clearTimeout(retry);
      socket?.disconnect();
    },
    send(command, payload) {
      if (!socket?.connected) return Promise.reject(new Error('not connected'));
      return socket.timeout(ANSWER_MS).emitWithAck(command, payload) as Promise<Reply>;
    },
    wake() {
      if (!wanted) return;
      if (!socket?.connected) {
        failures = 0;
        void begin();
        return;
      }
      // One question at a time: what arrives meanwhile is answered by the same answer.
      if (syncing) return;
      syncing = true;
      socket
        .timeout(WAKE_MS)
        .emitWithAck('sync', { since: ears.since() })
        .catch(() => {
          if (!wanted) return;
          ears.link({ kind: 'lost', retryAt: around.now(), code: null });
          void begin();
        })
        .finally(() => {
          syncing = false;
        });
    },
  };
}
