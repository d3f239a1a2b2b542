// What a person here can do, each as one command to the server, sent again with the same id until it is answered.
// The server judges; a refusal is left in the store to be said in words.

import { effect } from '@preact/signals';
import { createAsk } from './asking';
import type { Connection } from './connection';
import type { Commands, Reply } from './protocol';
import { refusalOf, type Store } from './store';

export interface Actions {
  sit(name: string, seat?: number): Promise<void>;
  leave(): Promise<void>;
  rename(name: string): Promise<void>;
  start(): Promise<void>;
  again(): Promise<void>;
  stop(): Promise<void>;
  reveal(): Promise<void>;
  auto(on: boolean): Promise<void>;
}

export interface Dice {
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string;
}

/** Make the actions, and begin the app's own: the nonce for every deal, a computer table's start. */
export function createActions(store: Store, connection: Pick<Connection, 'send'>, dice: Dice): Actions {
  const ask = createAsk(store, connection);

  async function command<K extends keyof Commands>(name: K, payload: Commands[K]): Promise<Reply | null> {
    store.refusal.value = null;
    const reply = await ask(name, payload);
    store.refusal.value = reply ? refusalOf(reply) : { code: 'no_answer', seats: [] };
    return reply;
  }

  const id = (): string => dice.hex(12);
  let wantsAgain: string | null = null;

  const actions: Actions = {
    async sit(name, seat) {
      const reply = await command('sit', { id: id(), name, ...(seat === undefined ? {} : { seat }) });
      const table = store.table.peek();
      if (reply?.ok && table && typeof reply.seat === 'number' && table.you.seat === null) {
        const you = { seat: reply.seat, host: table.host === reply.seat, watching: false };
        store.table.value = { ...table, you };
      }
    },
    async leave() {
      await command('leave', { id: id() });
    },
    async rename(name) {
      await command('rename', { id: id(), name });
    },
    async start() {
      await command('start', { id: id() });
    },
    async again() {
      const table = store.table.peek();
      if (!table) return;
      // The host's tap counts at once; the game begins when everybody present has tapped.
      if (table.you.host && everybodyReady(store)) return actions.start();
      if (table.you.host) wantsAgain = table.commitment;
      await command('ready', { id: id() });
    },
    async stop() {
      await command('stop', { id: id() });
    },
    async reveal() {
      const game = store.table.peek()?.game;
      if (!game || store.turning.peek() !== null) return;
      const n = game.n + 1;
      store.turning.value = n;
      const reply = await ask('reveal', { n });
      if (store.turning.peek() === n) store.turning.value = null;
      const refused = reply ? refusalOf(reply) : ({ code: 'no_answer', seats: [] } as const);
      // `turning`: somebody else's card came first; the table already shows it.
      store.refusal.value = refused?.code === 'turning' ? null : refused;
    },
    async auto(on) {
      store.auto.value = on ? 'on' : 'off';
      const reply = await connection.send('auto', { on }).catch(() => null);
      if (reply?.ok) return;
      if (store.auto.peek() === 'on') store.auto.value = 'off';
      store.refusal.value = reply ? refusalOf(reply) : { code: 'no_answer', seats: [] };
    },
  };

  /** The commitment that this page has already answered with a nonce. */
  let answered = '';
  effect(() => {
    const table = store.table.value;
    if (!table || !store.live.value || table.you.seat === null || table.phase === 'playing') return;
    if (table.commitment === answered || table.commitment === '') return;
    answered = table.commitment;
    void give(table.commitment);
  });

  async function give(commitment: string): Promise<void> {
    // Drawn only now, after the commitment was seen: that is what makes the deal nobody's.
    const reply = await ask('nonce', { id: id(), nonce: dice.hex(16) });
    if (!reply?.ok && answered === commitment) answered = '';
    const table = store.table.peek();
    if (table?.settings.kind === 'computers' && table.phase === 'lobby' && table.you.host)
      await actions.start();
  }

  effect(() => {
    const table = store.table.value;
    if (wantsAgain === null || !table) return;
    if (table.phase !== 'over' || table.commitment !== wantsAgain || !table.you.host) {
      wantsAgain = null;
    } else if (store.live.value && everybodyReady(store)) {
      wantsAgain = null;
      void actions.start();
    }
  });

  return actions;
}

/** Whether everybody else who is here wants another game; the host's start is its own ready. */
function everybodyReady(store: Store): boolean {
  const table = store.table.peek();
  if (!table) return false;
  const others = table.seats.filter(({ seat, kind, present, away }) => {
    return kind === 'person' && present && !away && seat !== table.you.seat;
  });
  return others.every(({ seat }) => table.ready.includes(seat));
}
