import { describe, expect, it } from 'vitest';
import { bengali, english } from './test/builders';
import { firstLanguage, loadWords, plain } from './words';

describe('words', () => {
  it('fill numbers in the digits of the language', () => {
    expect(english.text('app.reveal_count', { n: 12, cap: 5000 })).toBe('Reveal 12 of 5,000');
    expect(bengali.text('app.reveal_count', { n: 12, cap: 5000 })).toContain('১২');
    expect(bengali.number(2026)).toMatch(/^[০-৯,]+$/);
  });

  it('choose whole sentences by number', () => {
    expect(plain(english.counted('app.cards', 1))).toBe('1 card');
    expect(plain(english.counted('app.cards', 2))).toBe('2 cards');
  });

  it('keep names apart as pieces', () => {
    const sentence = english.pieces('event.seated', { name: { name: 'Asha' } });
    expect(sentence).toEqual([{ name: 'Asha' }, ' sat down.']);
  });

  it('never fill what looks like a template in a name', () => {
    expect(plain(english.pieces('event.seated', { name: { name: '{count}' } }))).toBe('{count} sat down.');
  });

  it('join lists as the language does', () => {
    expect(plain(english.list(['A', { name: 'B' }, 'C']))).toBe('A, B and C');
    expect(plain(bengali.list(['ক', 'খ']))).toContain('ক');
  });

  it('leave a gap that was not filled visible', () => {
    expect(english.text('event.seated')).toBe('{name} sat down.');
  });

  it('tell the time of day in the language’s digits', () => {
    const at = new Date(2026, 0, 2, 15, 4).getTime();
    expect([english.time(at), bengali.time(at)]).toEqual(['15:04', '১৫:০৪']);
  });

  it('begin in the language chosen here, else in the browser’s', () => {
    expect(firstLanguage('bn', 'en-GB')).toBe('bn');
    expect(firstLanguage(null, 'bn-BD')).toBe('bn');
    expect(firstLanguage('xx', 'de')).toBe('en');
  });

  it('are loaded by language', async () => {
    expect((await loadWords('en')).text('app.title')).toBe('Rang Milanti');
    expect((await loadWords('bn')).text('app.title')).toBe('রং মিলান্তি');
  });
});
