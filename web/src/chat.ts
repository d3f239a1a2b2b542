// The lines of chat that a table keeps, folded from its events: the newest 50, in the order they were said.
// Pure, and blind to who reads: what a person hides is theirs alone (hiding.ts).

import type { Event, Said, Unsaid } from './protocol';

/** How many lines the table keeps, here as at the server. */
export const KEPT_LINES = 50;

/** Take in one line, or one line's removal. */
export function foldTalk(lines: readonly Said[], event: Said | Unsaid): readonly Said[] {
  if (event.type === 'unsaid') return lines.filter(({ id }) => id !== event.id);
  return [...lines, event].slice(-KEPT_LINES);
}

/** Whether a batch is chat alone: nothing in it is for the log of play, or moves on the table. */
export function isTalk(events: readonly Event[]): boolean {
  return events.length > 0 && events.every(({ type }) => type === 'said' || type === 'unsaid');
}
