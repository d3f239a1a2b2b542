import { describe, expect, it } from 'vitest';
import { changesOf, paceName } from './changes';
import type { Settings } from './protocol';
import { bengali, english, settings } from './test/builders';
import { plain } from './words';

const said = (part: Partial<Settings>, words = english): string[] =>
  changesOf(settings, { ...settings, ...part }, words).map(plain);

describe('changed settings', () => {
  it('say each what is so now, and nothing where nothing changed', () => {
    expect(said({})).toEqual([]);
    expect(said({ locked: true, seats: 6 })).toEqual([
      'The host locked the table: nobody new can sit down.',
      'The table has 6 seats now.',
    ]);
  });

  it('have a sentence for every value in both languages', () => {
    const parts: Partial<Settings>[] = [
      { locked: true },
      { seats: 2 },
      { deck: 'double' },
      { deck: 'leftovers' },
      { length: 'short' },
      { length: 'medium' },
      { length: 'long' },
      { chat: 'phrases' },
      { chat: 'off' },
      { watchers: false },
      { voice: true },
      { pace: 0.5 },
      { pace: 2 },
    ];
    for (const words of [english, bengali]) {
      for (const part of parts) {
        const [sentence, ...more] = said(part, words);
        expect(sentence).toMatch(/.{8}/);
        expect(more).toEqual([]);
      }
      const back = changesOf({ ...settings, locked: true, pace: 2, voice: true }, settings, words);
      expect(back).toHaveLength(3);
    }
  });

  it('name a pace in three steps', () => {
    expect([0.5, 1, 2].map(paceName)).toEqual(['slow', 'normal', 'fast']);
  });
});
