import { afterEach, describe, expect, it, vi } from 'vitest';
import { countGraphemes } from './graphemes';

// Text, and how many signs people see in it.
const TEXTS: [string, number][] = [
  ['', 0],
  ['hello', 5],
  // Letters with vowel signs; a ya-phala by ZWJ, and a hasant kept apart by ZWNJ.
  ['কি', 1],
  ['র\u200d', 1],
  ['ক্\u200c', 1],
  // A family, a waving hand of a colour, a red heart, a flag.
  ['👨‍👩‍👧‍👦', 1],
  ['👋🏽', 1],
  ['❤️', 1],
  ['🇧🇩', 1],
  ['🇧🇩🇮🇳', 2],
  ['é', 1],
];

describe('the length of a text', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each(TEXTS)('of %j is %i', (text, length) => {
    expect(countGraphemes(text)).toBe(length);
  });

  it.each(TEXTS)('of %j is %i in an older browser too', (text, length) => {
    vi.stubGlobal('Intl', { ...Intl, Segmenter: undefined });
    expect(countGraphemes(text)).toBe(length);
  });
});
