// The app's screens around a store that tests feed, with nothing behind it.

import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { render } from 'preact';
import { vi } from 'vitest';
import type { Actions } from '../actions';
import { type App, AppProvider, type Dialog } from '../app';
import type { Reply } from '../protocol';
import { createStage } from '../stage';
import { createStore, newest } from '../store';
import { createTalk } from '../talk';
import type { Words } from '../words';
import { bengali, english } from './builders';

export interface Shown {
  app: App;
  actions: { [K in keyof Actions]: ReturnType<typeof vi.fn> };
  /** Every command sent by `app.command`, with its payload; answered with a yes unless a test says otherwise. */
  command: ReturnType<typeof vi.fn>;
  /** Every command of the talk, with its payload and id; answered with a yes likewise. */
  ask: ReturnType<typeof vi.fn>;
  announced: string[];
  /** Whether there is room for the chat beside the table, and this machine's clock. */
  wide: Signal<boolean>;
  clock: Signal<number>;
  root: HTMLElement;
  /** The element with this test id; throws when there is none. */
  get(testid: string): HTMLElement;
  find(testid: string): HTMLElement | null;
  text(testid: string): string;
  /** Let the framework draw. */
  drawn(): Promise<void>;
}

/** Draw something inside of an app at table `7ygvhbvchejm`. */
export function show(children: ComponentChildren): Shown {
  document.body.innerHTML = '<div id="app"></div>';
  const root = document.getElementById('app') as HTMLElement;
  const words = signal<Words>(english);
  const store = createStore(() => {});
  const stage = createStage(
    { fly() {}, sweep() {} },
    { hidden: () => true, late: () => false, wait: () => () => {} },
  );
  const done = () => vi.fn(() => Promise.resolve());
  const actions = {
    sit: done(),
    leave: done(),
    rename: done(),
    start: done(),
    again: done(),
    stop: done(),
    reveal: done(),
    auto: done(),
  };
  const ask = vi.fn((..._: unknown[]): Promise<Reply | null> => Promise.resolve({ ok: true }));
  const command = vi.fn((): Promise<Reply | null> => Promise.resolve({ ok: true }));
  store.onChange((entry) => {
    const table = store.table.peek();
    if (!table) return;
    if (entry) stage.play(entry, table);
    else stage.jump(table, newest(store.entries.peek()));
  });
  const announced: string[] = [];
  const kept = new Map<string, string>();
  const memory = {
    get: (key: string) => kept.get(key) ?? null,
    set: (key: string, value: string) => void kept.set(key, value),
  };
  const wide = signal(false);
  const clock = signal(0);
  let drawnIds = 0;
  const talk = createTalk(store, ask, {
    table: '7ygvhbvchejm',
    memory,
    wide,
    id: () => `id-${++drawnIds}`,
    now: () => clock.peek(),
  });
  const app: App = {
    id: '7ygvhbvchejm',
    store,
    actions,
    command,
    stage,
    talk,
    words,
    watching: signal(false),
    dialog: signal<Dialog | null>(null),
    clock,
    speak: (language) => {
      words.value = language === 'bn' ? bengali : english;
    },
    reconnect: vi.fn(),
    announce: (text) => void announced.push(text),
    memory,
  };
  render(<AppProvider value={app}>{children}</AppProvider>, root);
  const find = (testid: string): HTMLElement | null => root.querySelector(`[data-testid="${testid}"]`);
  const get = (testid: string): HTMLElement => {
    const element = find(testid);
    if (!element) throw new Error(`no ${testid} in ${root.innerHTML}`);
    return element;
  };
  return {
    app,
    actions,
    command,
    ask,
    announced,
    wide,
    clock,
    root,
    get,
    find,
    text: (testid) => (get(testid).textContent ?? '').trim(),
    drawn: () => new Promise((resolve) => setTimeout(resolve, 5)),
  };
}
