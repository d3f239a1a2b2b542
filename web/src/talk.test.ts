import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Commands, RefusalCode, Reply } from './protocol';
import { createStore, type Store } from './store';
import { createTalk, hindranceOf, type Talk } from './talk';
import { batchOf, playing, saidOf, seatOf, settings, snapshotOf, tableOf } from './test/builders';

let store: Store;
let talk: Talk;
let asked: [string, Record<string, unknown>][];
let answers: (Reply | null | Promise<Reply | null>)[];
const wide = signal(false);

beforeEach(() => {
  asked = [];
  answers = [];
  wide.value = false;
  store = createStore(() => {});
  const kept = new Map<string, string>();
  let ids = 0;
  talk = createTalk(
    store,
    async <K extends keyof Commands>(command: K, payload: Commands[K]) => {
      asked.push([command, payload as unknown as Record<string, unknown>]);
      return answers.length > 0 ? ((await answers.shift()) ?? null) : { ok: true };
    },
    {
      table: 't',
      memory: { get: (key) => kept.get(key) ?? null, set: (key, value) => void kept.set(key, value) },
      wide,
      id: () => `id${++ids}`,
      now: () => 5000,
    },
  );
});

const refused = (code: RefusalCode): Reply => ({ ok: false, code, message: '' });

describe('a line', () => {
  it('leaves the draft when it was said', async () => {
    talk.draft.value = 'হ্যালো';
    expect(await talk.sayDraft()).toBe(true);
    expect(asked).toEqual([['say', { id: 'id1', text: 'হ্যালো' }]]);
    expect([talk.draft.value, talk.trouble.value]).toEqual(['', null]);
  });

  it('is not sent when there is nothing in it', async () => {
    talk.draft.value = '  ';
    expect(await talk.sayDraft()).toBe(false);
    expect(asked).toEqual([]);
  });

  it.each(['too_fast', 'muted', 'phrases_only', 'chat_off', 'too_long'] as const)(
    'stays in the draft when it was refused as %s, and is a new one when sent again',
    async (code) => {
      answers = [refused(code)];
      talk.draft.value = 'hello';
      expect(await talk.sayDraft()).toBe(false);
      expect([talk.draft.value, talk.trouble.value?.code]).toEqual(['hello', code]);
      await talk.sayDraft();
      expect(asked.map(([, { id }]) => id)).toEqual(['id1', 'id2']);
      expect([talk.draft.value, talk.trouble.value]).toEqual(['', null]);
    },
  );

  it('is no trouble any more once something else may be written', async () => {
    store.ears.snapshot(playing());
    answers = [refused('too_fast')];
    talk.draft.value = 'hello';
    await talk.sayDraft();
    store.ears.events(batchOf(playing().seq + 1, saidOf('x')));
    expect(talk.trouble.value?.code).toBe('too_fast');
    const off = { ...settings, chat: 'off' as const };
    store.ears.events(batchOf(playing().seq + 2, { type: 'settings', settings: off }));
    expect([talk.draft.value, talk.trouble.value]).toEqual(['hello', null]);
  });

  it('keeps its id when nobody knows whether it was said', async () => {
    answers = [null, null];
    talk.draft.value = 'hello';
    await talk.sayDraft();
    expect([talk.draft.value, talk.trouble.value?.code]).toEqual(['hello', 'no_answer']);
    await talk.sayDraft();
    expect(asked.map(([, { id }]) => id)).toEqual(['id1', 'id1']);
    // Another text is another line.
    talk.draft.value = 'hello there';
    await talk.sayDraft();
    expect(asked[2]).toEqual(['say', { id: 'id2', text: 'hello there' }]);
    talk.draft.value = 'hello';
    await talk.sayDraft();
    expect(asked[3]?.[1].id).toBe('id3');
  });

  it('goes alone, and leaves what was written meanwhile', async () => {
    let answer: (reply: Reply) => void = () => {};
    answers = [new Promise<Reply>((resolve) => (answer = resolve))];
    talk.draft.value = 'one ';
    const first = talk.sayDraft();
    expect(talk.sending.value).toBe(true);
    talk.draft.value = 'one two';
    expect(await talk.sayDraft()).toBe(false);
    const phrases = [talk.sayPhrase('wow'), talk.sayPhrase('wow'), talk.sayPhrase('bye')];
    expect(asked).toHaveLength(1);
    answer({ ok: true });
    expect(await first).toBe(true);
    // What was tapped meanwhile follows in order, and an impatient second tap is none.
    expect(await Promise.all(phrases)).toEqual([true, false, true]);
    expect(asked.map(([, { text, phrase }]) => text ?? phrase)).toEqual(['one ', 'wow', 'bye']);
    expect([talk.draft.value, talk.sending.value]).toEqual(['two', false]);
  });

  it('may be a phrase, which leaves the draft alone', async () => {
    talk.draft.value = 'half';
    expect(await talk.sayPhrase('good_luck')).toBe(true);
    expect(asked).toEqual([['say', { id: 'id1', phrase: 'good_luck' }]]);
    expect(talk.draft.value).toBe('half');
  });
});

describe('what is new', () => {
  const line = (id: string, at: number, seat = 1, name = 'Bela') => saidOf(id, { at, seat, name });
  const say = (seq: number, ...said: ReturnType<typeof saidOf>[]) => store.ears.events(batchOf(seq, ...said));

  it('is what others said since one was last there', () => {
    store.ears.snapshot(snapshotOf({ said: [line('old', 500)] }));
    expect([talk.lines.value.length, talk.unread.value]).toEqual([1, 0]);
    say(6, line('a', 1000));
    say(7, line('b', 1001, 0, 'Asha'));
    say(8, line('c', 1002));
    expect(talk.unread.value).toBe(2);
    talk.open.value = true;
    expect(talk.unread.value).toBe(0);
    say(9, line('d', 1003));
    talk.open.value = false;
    expect(talk.unread.value).toBe(0);
  });

  it('is nothing where the chat always stands', () => {
    wide.value = true;
    store.ears.snapshot(snapshotOf());
    say(6, line('a', 1000));
    wide.value = false;
    expect(talk.unread.value).toBe(0);
  });

  it('is found after the connection was gone', () => {
    store.ears.snapshot(snapshotOf({ said: [line('a', 1000)] }));
    store.ears.snapshot(snapshotOf({ said: [line('a', 1000), line('b', 2000)] }));
    expect(talk.unread.value).toBe(1);
  });

  it('has nothing of whom one hides', () => {
    store.ears.snapshot(snapshotOf());
    talk.hiding.hide('Bela');
    say(6, line('a', 1000), line('b', 1001, 2, 'Chand'));
    expect(talk.lines.value.map(({ id }) => id)).toEqual(['b']);
    expect(talk.unread.value).toBe(1);
    talk.hiding.show('Bela');
    expect(talk.lines.value).toHaveLength(2);
  });
});

describe('the host', () => {
  it('takes lines out and mutes, each with an id of its own', async () => {
    await talk.unsay('line');
    await talk.mute(1, true);
    expect(asked).toEqual([
      ['unsay', { id: 'id1', said: 'line' }],
      ['mute', { id: 'id2', seat: 1, on: true }],
    ]);
    answers = [refused('not_there')];
    await talk.unsay('line');
    expect(talk.trouble.value?.code).toBe('not_there');
  });
});

describe('a nudge', () => {
  it('is remembered with its reveal, and so is one that somebody else sent just before', async () => {
    store.ears.snapshot(playing({ n: 7 }));
    answers = [{ ok: true }, refused('too_fast'), refused('over'), null];
    expect(await talk.nudge()).toBe(true);
    expect([talk.nudged.value, store.refusal.value]).toEqual([{ coming: '1.8', at: 5000 }, null]);
    expect(await talk.nudge()).toBe(false);
    expect(store.refusal.value?.code).toBe('nudged_lately');
    await talk.nudge();
    expect(store.refusal.value?.code).toBe('over');
    await talk.nudge();
    expect(store.refusal.value?.code).toBe('no_answer');
    expect(asked.map(([command]) => command)).toEqual(Array(4).fill('nudge'));
  });
});

describe('what hinders from writing', () => {
  it('is the host’s choice for all, having no seat, or being muted', () => {
    const muted = [seatOf(0, 'Asha', { muted: true })];
    const you = { seat: null, host: false, watching: true };
    expect(hindranceOf(tableOf())).toBeNull();
    expect(hindranceOf(tableOf({ seats: muted }))).toBe('muted');
    expect(hindranceOf(tableOf({ you }))).toBe('watching');
    expect(hindranceOf(tableOf({ you, settings: { ...settings, chat: 'off' } }))).toBe('off');
  });
});
