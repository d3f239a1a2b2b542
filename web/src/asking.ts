// How a command is asked until there is an answer. Nothing here knows what a command does.
// Invariant: what is sent again is the same payload, whose id makes a second sending harmless.

import { effect } from '@preact/signals';
import type { Connection } from './connection';
import type { Commands, Reply } from './protocol';
import type { Store } from './store';

/** Send until there is an answer; null when there was none. The payload's id (a reveal's number) tells it again. */
export type Ask = <K extends keyof Commands>(command: K, payload: Commands[K]) => Promise<Reply | null>;

/** Send a command under an id of its own; null when no answer came. */
export type Command = <K extends keyof Commands>(
  command: K,
  payload: Omit<Commands[K], 'id'>,
) => Promise<Reply | null>;

const TRIES = 6;
const GIVE_UP_MS = 20_000;

/** Make the asking of one connection. */
export function createAsk(store: Pick<Store, 'live' | 'link'>, connection: Pick<Connection, 'send'>): Ask {
  /** Wait for the connection, but not for ever. */
  function live(): Promise<boolean> {
    if (store.live.peek()) return Promise.resolve(true);
    return new Promise((resolve) => {
      let stop: (() => void) | undefined;
      const settle = (is: boolean): void => {
        clearTimeout(patience);
        queueMicrotask(() => stop?.());
        resolve(is);
      };
      const patience = setTimeout(() => settle(false), GIVE_UP_MS);
      stop = effect(() => {
        if (store.live.value) settle(true);
        else if (store.link.value.kind === 'ended') settle(false);
      });
    });
  }

  return async (command, payload) => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      if (!(await live())) return null;
      try {
        return await connection.send(command, payload);
      } catch {
        // No answer: whether it was done is unknown, so ask again.
      }
    }
    return null;
  };
}

/** Make the sending of commands whose refusal is for the asker to say. `id` gives a new one each time. */
export function createCommand(ask: Ask, id: () => string): Command {
  return <K extends keyof Commands>(command: K, payload: Omit<Commands[K], 'id'>) =>
    ask(command, { id: id(), ...payload } as unknown as Commands[K]);
}
