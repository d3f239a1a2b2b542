// What can be said with one tap, in the order it is offered. The words are the catalogue's, in each reader's language.

import type { Phrase } from '../protocol';

/** Reactions are pictures to the eye and words to the ear. */
export const REACTIONS = {
  clap: '👏',
  heart: '❤️',
  laugh: '😄',
  surprise: '😮',
  cry: '😢',
  flower: '🌸',
} as const satisfies Partial<Record<Phrase, string>>;

export type Reaction = keyof typeof REACTIONS;

export const PHRASES = [
  'hello',
  'good_luck',
  'well_done',
  'wow',
  'oh_no',
  'so_close',
  'your_turn',
  'slow_down',
  'ha_ha',
  'thank_you',
  'again',
  'good_game',
  'bye',
] as const satisfies readonly Exclude<Phrase, Reaction>[];

export function isReaction(phrase: Phrase | undefined): phrase is Reaction {
  return phrase !== undefined && phrase in REACTIONS;
}
