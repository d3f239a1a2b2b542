// Why the stack will not tap, as a key and its values; null when it will. It only explains what the server decides.

import type { Link } from './connection';
import type { Table } from './fold';
import { nameAt } from './sentences';
import type { Sentence, Words } from './words';

export interface Reason {
  readonly code:
    | 'connecting'
    | 'connection'
    | 'not_started'
    | 'over'
    | 'watching'
    | 'out'
    | 'not_your_turn'
    | 'turning';
  readonly sentence: Sentence;
}

/** Say why this person's stack will not turn now; null means that a tap turns it. */
export function reasonOf(
  table: Table | null,
  link: Link,
  turning: number | null,
  words: Words,
): Reason | null {
  const because = (code: Reason['code'], values = {}): Reason => ({
    code,
    sentence: words.pieces(`reason.${code}`, values),
  });
  if (link.kind === 'connecting' || !table) return because('connecting');
  if (link.kind !== 'live') return because('connection');
  const { game, phase } = table;
  if (phase === 'lobby' || !game) return because('not_started');
  if (phase === 'over' || game.turn === null) return because('over');
  const { seat } = table.you;
  if (seat === null || seat >= game.stacks.length) return because('watching');
  if (game.out[seat]) return because('out');
  if (game.turn !== seat) return because('not_your_turn', { name: nameAt(table.names, game.turn, words) });
  if (turning !== null) return because('turning');
  return null;
}
