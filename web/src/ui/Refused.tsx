// Why the last command was refused, in words, with the names of those it is about.

import { useApp } from '../app';
import type { Table } from '../fold';
import { nameAt } from '../sentences';
import type { Refusal } from '../store';
import type { Key, Sentence, Words } from '../words';
import { Say } from './Say';

/** Say a refusal; one that this app does not know is still said to be one. */
export function refusalText(refusal: Refusal, table: Table | null, words: Words): Sentence {
  const about = `refusal.${refusal.code}`;
  const known = [`${about}.${refusal.field}`, about].find(words.has);
  const key = (known ?? 'refusal.other') as Key;
  const names = words.list(refusal.seats.map((seat) => nameAt(table?.names ?? [], seat, words)));
  if (refusal.code === 'not_ready' && refusal.seats.length === 0)
    return words.pieces('refusal.not_ready.somebody');
  return words.pieces(key, { names });
}

export function Refused() {
  return <RefusedWords refusal={useApp().store.refusal.value} testid="refusal" />;
}

/** The same for a part of the screen that keeps its own refusals. */
export function RefusedWords({ refusal, testid = 'refused' }: { refusal: Refusal | null; testid?: string }) {
  const { store, words } = useApp();
  return (
    <p class="refused" role="alert" data-testid={testid} data-value={refusal?.code ?? ''}>
      {refusal && <Say sentence={refusalText(refusal, store.table.value, words.value)} />}
    </p>
  );
}
