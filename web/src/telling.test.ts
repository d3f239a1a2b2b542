import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import { createStore, type Store } from './store';
import { createTalk, type Talk } from './talk';
import { isWaitedFor, lineText, NUDGE_SHAKE, nudgeSentence, tellTalk } from './telling';
import { batchOf, bengali, english, playing, revealed, saidOf, snapshotOf } from './test/builders';
import { plain, type Words } from './words';

let store: Store;
let talk: Talk;
let told: string[];
let shaken: number[][];
const words = signal<Words>(english);

beforeEach(() => {
  told = [];
  shaken = [];
  words.value = english;
  store = createStore(() => {});
  talk = createTalk(store, async () => null, {
    table: 't',
    memory: { get: () => null, set: () => {} },
    wide: signal(false),
    id: () => 'id',
    now: () => 0,
  });
  const announcer = {
    say: (text: string) => void told.push(`say ${text}`),
    line: (text: string) => void told.push(`line ${text}`),
    interrupt: (text: string) => void told.push(`interrupt ${text}`),
  };
  tellTalk(store, talk, words, announcer, (pattern) => void shaken.push(pattern));
});

const bela = { seat: 1, name: 'Bela' };

describe('a new line', () => {
  it('is told in the reader’s language, phrases too', () => {
    store.ears.snapshot(snapshotOf({ said: [saidOf('old', bela)] }));
    store.ears.events(batchOf(6, saidOf('a', { ...bela, text: 'এই যে' })));
    store.ears.events(batchOf(7, saidOf('b', { ...bela, phrase: 'good_luck' })));
    words.value = bengali;
    store.ears.events(batchOf(8, saidOf('c', { ...bela, phrase: 'clap' })));
    expect(told).toEqual(['line Bela says: এই যে', 'line Bela says: Good luck!', 'line Bela বলছেন: হাততালি']);
  });

  it('is not told of oneself or of whom one hides', () => {
    store.ears.snapshot(snapshotOf());
    talk.hiding.hide('Bela');
    store.ears.events(batchOf(6, saidOf('a', bela), saidOf('b', { seat: 0, name: 'Asha' })));
    expect(told).toEqual([]);
  });

  it('is still a line where this app does not know the phrase', () => {
    const { text: _, ...line } = saidOf('a');
    expect(lineText({ ...line, phrase: 'yodel' as 'wow' }, english)).toBe('…');
  });
});

describe('being muted', () => {
  it('is told to that person alone', () => {
    store.ears.snapshot(snapshotOf());
    for (const seat of [1, 0]) {
      store.ears.events(batchOf(6 + 2 * (1 - seat), { type: 'muted', seat, on: true }));
      store.ears.events(batchOf(7 + 2 * (1 - seat), { type: 'muted', seat, on: false }));
    }
    expect(told).toEqual([
      'say The host has muted you: you can read along, but not write.',
      'say The host lets you write in the chat again.',
    ]);
  });
});

describe('a nudge', () => {
  it('calls the one whose turn it is, once, and lasts for that turn', () => {
    store.ears.snapshot(playing());
    store.ears.notice({ code: 'nudged' });
    expect(told).toEqual(['interrupt Asha? Everybody is waiting for you: it is your turn.']);
    expect(shaken).toEqual([NUDGE_SHAKE]);
    store.ears.events(batchOf(6, { type: 'renamed', seat: 1, name: 'Bulbul' }));
    expect([told.length, isWaitedFor(store)]).toEqual([1, true]);
    store.ears.notice({ code: 'nudged' });
    expect(told).toHaveLength(2);
    store.ears.events(batchOf(7, revealed(1, 0, '7H', 'KD')));
    expect(isWaitedFor(store)).toBe(false);
  });

  it('is of its own game: the same number in the next waits for nobody yet', () => {
    store.ears.snapshot(playing());
    store.ears.notice({ code: 'nudged' });
    store.ears.snapshot(playing({ game: 2 }));
    expect(isWaitedFor(store)).toBe(false);
  });

  it('says nothing when it comes too late', () => {
    store.ears.snapshot(playing({ turn: 1 }));
    store.ears.notice({ code: 'nudged' });
    expect([told, shaken]).toEqual([[], []]);
  });

  it('is said by name, in words', () => {
    store.ears.snapshot(playing());
    expect(plain(nudgeSentence(store, bengali))).toBe('Asha? সবাই আপনার অপেক্ষায়: এখন আপনার পালা।');
  });
});
