// The app as its screens get it: signals to read and things to do. Wired once, by main; made by hand in tests.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Actions } from './actions';
import type { Command } from './asking';
import type { Stage } from './stage';
import type { Store } from './store';
import type { Talk } from './talk';
import type { Language, Words } from './words';

/** What stands over the table in a dialog. */
export type Dialog =
  | { readonly kind: 'menu' | 'settings' | 'move' }
  | { readonly kind: 'person'; readonly seat: number }
  | { readonly kind: 'claim'; readonly token: string };

export interface App {
  readonly id: string;
  readonly store: Store;
  readonly actions: Actions;
  /** Send any command; its refusal is for the asker to say. */
  readonly command: Command;
  readonly stage: Stage;
  readonly talk: Talk;
  readonly words: ReadonlySignal<Words>;
  /** Whether this person chose to watch, so that the seats' form is folded away. */
  readonly watching: Signal<boolean>;
  readonly dialog: Signal<Dialog | null>;
  /** The milliseconds of this machine's clock, once a second while something counts down. */
  readonly clock: ReadonlySignal<number>;
  speak(language: Language): void;
  /** Connect again by the person's own wish (here, not in the other tab). */
  reconnect(): void;
  /** Read a sentence out to those who listen. */
  announce(text: string): void;
  /** What this browser remembers; null where it may not. */
  readonly memory: Memory;
}

export interface Memory {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

const Context = createContext<App | null>(null);

export const AppProvider = Context.Provider;

/** Read the app that the screens around belong to. */
export function useApp(): App {
  const app = useContext(Context);
  if (!app) throw new Error('a screen outside of the app');
  return app;
}

/** Remember in this browser, or only while the page lives where storage is refused. */
export function createMemory(storage: () => Storage): Memory {
  const here = new Map<string, string>();
  return {
    get(key) {
      try {
        return storage().getItem(key);
      } catch {
        return here.get(key) ?? null;
      }
    },
    set(key, value) {
      here.set(key, value);
      try {
        storage().setItem(key, value);
      } catch {
        // A browser that keeps nothing: remembered until the page is closed.
      }
    },
  };
}

/** A clock that ticks once a second. */
export function createClock(now: () => number): ReadonlySignal<number> {
  const clock = signal(now());
  setInterval(() => {
    clock.value = now();
  }, 1000);
  return clock;
}

/** Take a seat's token out of the address, which then no longer shows it; null without one. */
export function takeToken(
  address: Pick<Location, 'hash' | 'pathname' | 'search'>,
  past: Pick<History, 'replaceState'>,
): string | null {
  const token = /^#seat=([\w-]+)$/.exec(address.hash)?.[1] ?? null;
  if (token !== null) past.replaceState(null, '', address.pathname + address.search);
  return token;
}

/** Read a table id as people may write it: Crockford's base 32, hyphens and capitals allowed. */
export function readTableId(written: string): string {
  return written.toLowerCase().replaceAll('-', '').replace(/[il]/g, '1').replaceAll('o', '0');
}

/** Write a table id as people see it: `xxxx-xxxx-xxxx`. */
export function showTableId(id: string): string {
  return id.replace(/(.{4})(?=.)/g, '$1-');
}
