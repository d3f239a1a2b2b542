import { describe, expect, it } from 'vitest';
import { fromSnapshot } from './fold';
import type { Event } from './protocol';
import { cardName, ended, nameAt, sentencesOf } from './sentences';
import { bengali, english, playing, revealed, seatOf, tableOf } from './test/builders';
import { plain, type Words } from './words';

const table = fromSnapshot(playing());
const said = (words: Words, ...events: Event[]): string[] => sentencesOf(events, table, words).map(plain);

describe('a reveal in one sentence', () => {
  it('says whose card, which, onto what, and that it missed', () => {
    expect(said(english, revealed(1, 0, '7H', 'KD'))).toEqual([
      'Asha turned the seven of hearts onto the king of diamonds: hearts on diamonds, no match.',
    ]);
  });

  it('says a match and how many cards move', () => {
    const events: Event[] = [revealed(1, 0, '2S', 'KS', true), { type: 'captured', seat: 0, cards: 3 }];
    expect(said(english, ...events)).toEqual([
      'Asha turned the two of spades onto the king of spades: spades on spades, a match! Asha takes 3 cards.',
    ]);
    expect(said(bengali, ...events)).toEqual([
      'Asha ইস্কাপনের সাহেবের উপর ইস্কাপনের ২ উল্টালেন: ইস্কাপনের উপর ইস্কাপন, মিলে গেছে! Asha ৩টি তাস পেলেন।',
    ]);
  });

  it('says when the pile was empty, and who turned it', () => {
    expect(said(english, revealed(1, 1, 'TD', null))).toEqual([
      'Bela turned the ten of diamonds onto the empty pile.',
    ]);
    const away = { ...revealed(1, 1, 'TD', '2H'), by: 'table' } as Event;
    expect(said(english, away)[0]).toMatch(
      /^Bela is away, so the table turned the ten of diamonds onto the two of/,
    );
    const idle = { ...revealed(1, 1, 'TD', '2H'), by: 'host' } as Event;
    expect(said(english, idle)[0]).toMatch(/^For Bela, the host turned/);
  });

  it('names every card in both languages', () => {
    for (const suit of 'SHDC') {
      for (const rank of 'A23456789TJQK') {
        expect(cardName(rank + suit, english)).toMatch(/^the \w+ of \w+$/);
        expect(cardName(rank + suit, bengali)).toMatch(/^\S+ \S+$/);
      }
    }
    expect(cardName('AS', bengali)).toBe('ইস্কাপনের টেক্কা');
  });
});

describe('what else happened', () => {
  it('is told in order, the capture with its reveal', () => {
    const events: Event[] = [
      { type: 'reshuffled', seat: 0, cards: 1, shuffle: 1 },
      revealed(9, 0, '7H', 'KD'),
      { type: 'out', seat: 0 },
      { type: 'ended', reason: 'last_seat', winners: [1], held: [0, 40], seed: 's' },
      { type: 'committed', game: 2, commitment: 'c2' },
    ];
    expect(said(english, ...events)).toEqual([
      'Asha has no stack left: the 1 collected card becomes a new stack.',
      'Asha turned the seven of hearts onto the king of diamonds: hearts on diamonds, no match.',
      'Asha is out: the last card missed, and nothing was collected.',
      'Bela wins: nobody else has cards left.',
    ]);
  });

  it('names people as they were called then', () => {
    expect(
      said(
        english,
        { type: 'renamed', seat: 1, name: 'Beli' },
        { type: 'away', seat: 1 },
        { type: 'seated', seat: 2, name: 'computer-1', kind: 'computer' },
        { type: 'left', seat: 0, why: 'not_ready' },
      ),
    ).toEqual([
      'Bela is now called Beli.',
      'Beli is away: the table turns the cards until they are back.',
      'Computer 1 sat down.',
      'Asha was not here for the new game, so the seat is free.',
    ]);
  });

  it('has a sentence for every event that people should hear of', () => {
    const events: Event[] = [
      { type: 'moved', seats: [0, 1] },
      { type: 'host', seat: 1 },
      { type: 'settings', settings: { ...table.settings, locked: true } },
      { type: 'muted', seat: 1, on: true },
      { type: 'muted', seat: 1, on: false },
      { type: 'back', seat: 1 },
      { type: 'ready', seat: 1 },
      { type: 'paused', on: true },
      { type: 'paused', on: false },
      { type: 'hurried', seats: [0], on: false },
      { type: 'hurried', seats: [0, 1], on: true },
      { type: 'hurried', seats: [], on: false },
      { type: 'left', seat: 1, why: 'left' },
    ];
    for (const words of [english, bengali]) {
      const all = said(words, ...events);
      expect(all).toHaveLength(events.length);
      expect(all.join(' ')).not.toContain('{');
    }
    expect(said(english, { type: 'unsaid', id: 'x' })).toEqual([]);
    expect(said(english, { type: 'hurried', seats: [1], on: false })).toEqual([
      'In a hurry to end the game: Bela.',
    ]);
  });

  it('tells once that somebody left, not again at the end of the game, which frees the seat', () => {
    const end: Event = { type: 'ended', reason: 'stopped', winners: [], held: [3, 3], seed: 'ab' };
    for (const why of ['left', 'removed'] as const) {
      const left: Event = { type: 'left', seat: 1, why };
      expect(said(english, left)).toHaveLength(1);
      expect(said(english, end, left)).toEqual(said(english, end));
    }
  });

  it('tells the deal with what is left over', () => {
    const deal = (spares: string[]): Event => ({
      type: 'dealt',
      table: 't',
      game: 2,
      deck: 'standard',
      length: 'any',
      attempt: 0,
      stacks: [17, 17, 17],
      spares,
      first: 0,
      cap: 5000,
      commitment: 'c',
      nonces: [],
    });
    expect(said(english, deal([]))[0]).toBe('Game 2: everybody gets 17 cards, and the pile is empty.');
    expect(said(english, deal(['2S']))[0]).toMatch(/the 1 card left over begins/);
    expect(said(english, deal(['2S', '3S']))[0]).toMatch(/the 2 cards left over begin/);
  });
});

describe('the end of a game', () => {
  it('says a shared win as such, and a stopped game as nobody’s', () => {
    const names = tableOf({ seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela')] }).names;
    expect(plain(ended({ reason: 'cap', winners: [0, 1], held: [20, 20] }, names, english))).toMatch(
      /^Asha and Bela share the win with 20 cards each/,
    );
    expect(plain(ended({ reason: 'cap', winners: [1], held: [20, 30] }, names, english))).toMatch(
      /^Bela wins with 30 cards/,
    );
    expect(plain(ended({ reason: 'stopped', winners: [], held: [1, 2] }, names, english))).toMatch(
      /nobody wins/,
    );
  });

  it('names a seat whose person is not known by its number', () => {
    expect(nameAt([], 4, english)).toBe('Seat 5');
  });
});
