// How long a text is as people see it: a Bengali letter with its signs is one, a family of emoji is one.
// The server's count is the one that decides; this one only tells a person how much room is left.

// For a browser without Intl.Segmenter: what joins on to the sign before it, and two halves of a flag.
const SIGNS = String.raw`(?:\p{M}|\u200c|\p{Emoji_Modifier})*`;
const JOINED = new RegExp(String.raw`\p{RI}\p{RI}|\P{M}${SIGNS}(?:\u200d\p{ExtPict}?${SIGNS})*`, 'gu');

/** Count a text's graphemes. */
export function countGraphemes(text: string): number {
  if (!Intl.Segmenter) return text.match(JOINED)?.length ?? 0;
  let count = 0;
  for (const _ of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) count += 1;
  return count;
}
