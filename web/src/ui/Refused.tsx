// Why the last command was refused, in words, with the names of those it is about.

import { useApp } from '../app';
import type { Table } from '../fold';
import { nameAt } from '../sentences';
import type { Refusal } from '../store';
import type { Key, Sentence, Words } from '../words';
import { Say } from './Say';

/** Say a refusal; one that this app does not know is still said to be one. */
export function refusalText(refusal: Refusal, table: Table | null, words: Words): Sentence {
  const key = words.has(`refusal.${refusal.code}`) ? (`refusal.${refusal.code}` as Key) : 'refusal.other';
  const names = words.list(refusal.seats.map((seat) => nameAt(table?.names ?? [], seat, words)));
  if (refusal.code === 'not_ready' && refusal.seats.length === 0)
    return words.pieces('refusal.not_ready.somebody');
  return words.pieces(key, { names });
}

export function Refused() {
  const { store, words } = useApp();
  const refusal = store.refusal.value;
  return (
    <p class="refused" role="alert" data-testid="refusal" data-value={refusal?.code ?? ''}>
      {refusal && <Say sentence={refusalText(refusal, store.table.value, words.value)} />}
    </p>
  );
}
