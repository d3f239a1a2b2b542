// The chat as one person here has it: their draft, what became of it, what is new to them, and what they may do.
// The server judges who may speak; a line that it did not take stays in the draft, with the reason.
// Invariant: a line is given a new id only after the last one was answered, so that none is ever said twice.

import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Ask } from './asking';
import { comingOf, type Table } from './fold';
import { createHiding, type Hiding, type Keeping } from './hiding';
import type { Phrase, Reply, Said } from './protocol';
import { type Refusal, refusalOf, type Store } from './store';

/** What hinders this person from writing; null when nothing does. */
export type Hindrance = 'off' | 'watching' | 'muted' | null;

export interface Talk {
  readonly hiding: Hiding;
  /** Whether the sheet of a narrow screen is open. */
  readonly open: Signal<boolean>;
  /** Whether the chat always stands beside the table. */
  readonly wide: ReadonlySignal<boolean>;
  /** The table's lines without those of hidden people. */
  readonly lines: ReadonlySignal<readonly Said[]>;
  /** How many of them are others' and were never on this screen. */
  readonly unread: ReadonlySignal<number>;
  readonly draft: Signal<string>;
  /** Why the last thing asked for was not done. */
  readonly trouble: Signal<Refusal | null>;
  readonly sending: ReadonlySignal<boolean>;
  /** The reveal that a nudge from here is waiting for, and when it was sent (this machine's ms). */
  readonly nudged: ReadonlySignal<{ readonly coming: string; readonly at: number } | null>;
  /** Say the draft; true when it was said, and the draft is empty for the next. */
  sayDraft(): Promise<boolean>;
  sayPhrase(phrase: Phrase): Promise<boolean>;
  unsay(id: string): Promise<void>;
  mute(seat: number, on: boolean): Promise<void>;
  nudge(): Promise<boolean>;
}

export interface TalkOptions {
  readonly table: string;
  readonly memory: Keeping;
  readonly wide: ReadonlySignal<boolean>;
  id(): string;
  now(): number;
}

/** Make the chat of the person here. */
export function createTalk(store: Store, ask: Ask, options: TalkOptions): Talk {
  const hiding = createHiding(options.table, store, options.memory);
  const open = signal(false);
  const draft = signal('');
  const trouble = signal<Refusal | null>(null);
  const sending = signal(false);
  const nudged = signal<{ coming: string; at: number } | null>(null);
  /** When the newest line that was on this screen was said (the store's ms); null until there is a table. */
  const seen = signal<number | null>(null);

  const all = computed(() => store.table.value?.said ?? []);
  const lines = computed(() => all.value.filter(({ name }) => !hiding.hides(name)));
  const unread = computed(() => {
    const you = store.table.value?.you.seat;
    const last = seen.value;
    return last === null ? 0 : lines.value.filter(({ at, seat }) => at > last && seat !== you).length;
  });

  effect(() => {
    if (store.table.value === null) return;
    const newest = all.value.reduce((latest, { at }) => Math.max(latest, at), 0);
    // Whoever comes finds the history, but it is not new.
    if (seen.peek() === null || options.wide.value || open.value) seen.value = newest;
  });

  const allowed = computed(() => {
    const table = store.table.value;
    return table && `${table.settings.chat} ${hindranceOf(table) ?? ''}`;
  });
  effect(() => {
    // What was wrong with the last line is no answer to what may be written now.
    if (allowed.value !== null) trouble.value = null;
  });

  let drafted = false;
  /** The line that was sent and never answered: whether it was said is unknown. */
  let uncertain: { id: string; line: string } | null = null;

  /** The line on its way: the next waits for its answer, so that they come in the order of the taps. */
  let last: { line: string; said: Promise<boolean> } | null = null;

  async function say(line: { text: string } | { phrase: Phrase }): Promise<boolean> {
    const written = JSON.stringify(line);
    // An impatient second tap means the same line.
    if (last?.line === written) return false;
    const mine = { line: written, said: send(line, written, last?.said) };
    last = mine;
    sending.value = true;
    const said = await mine.said;
    if (last === mine) {
      last = null;
      sending.value = false;
    }
    return said;
  }

  async function send(line: object, written: string, before?: Promise<boolean>): Promise<boolean> {
    await before;
    const id = uncertain?.line === written ? uncertain.id : options.id();
    trouble.value = null;
    const reply = await ask('say', { id, ...line });
    uncertain = reply ? null : { id, line: written };
    return done(reply);
  }

  function done(reply: Reply | null): boolean {
    trouble.value = reply ? refusalOf(reply) : { code: 'no_answer', seats: [] };
    return reply?.ok ?? false;
  }

  return {
    hiding,
    open,
    wide: options.wide,
    lines,
    unread,
    draft,
    trouble,
    sending,
    nudged,
    async sayDraft() {
      const text = draft.peek();
      // Until the line on its way is answered, the draft is still that line.
      if (text.trim() === '' || drafted) return false;
      drafted = true;
      const said = await say({ text });
      drafted = false;
      // A quick hand has begun the next line meanwhile.
      const now = draft.peek();
      if (said && now.startsWith(text)) draft.value = now.slice(text.length);
      return said;
    },
    sayPhrase: (phrase) => say({ phrase }),
    async unsay(id) {
      done(await ask('unsay', { id: options.id(), said: id }));
    },
    async mute(seat, on) {
      done(await ask('mute', { id: options.id(), seat, on }));
    },
    async nudge() {
      const game = store.table.peek()?.game;
      const coming = game ? comingOf(game) : '';
      const reply = await ask('nudge', { id: options.id() });
      const refused = reply ? refusalOf(reply) : ({ code: 'no_answer', seats: [] } as const);
      // Somebody else called them just now: that has its own words.
      store.refusal.value = refused?.code === 'too_fast' ? { code: 'nudged_lately', seats: [] } : refused;
      if (!refused || refused.code === 'too_fast') nudged.value = { coming, at: options.now() };
      return !refused;
    },
  };
}

/** Say what hinders the person here from writing at this table. */
export function hindranceOf(table: Table): Hindrance {
  if (table.settings.chat === 'off') return 'off';
  if (table.you.seat === null) return 'watching';
  return table.seats.find(({ seat }) => seat === table.you.seat)?.muted ? 'muted' : null;
}
