// The host's way to what can be done about one person, at that person's seat. Nothing for who is not host.

import { useApp } from '../app';
import type { Table } from '../fold';
import { nameAt } from '../sentences';
import { plain } from '../words';

interface Props {
  table: Table;
  seat: number;
  /** Over the whole of a seat at the table, or a button in a row of the lobby. */
  class: string;
}

export function PersonButton({ table, seat, class: look }: Props) {
  const { dialog, words } = useApp();
  const say = words.value;
  const person = table.seats.find((other) => other.seat === seat);
  if (!table.you.host || person?.kind !== 'person' || seat === table.you.seat) return null;
  return (
    <button
      type="button"
      class={look}
      data-testid={`person-${seat}`}
      aria-haspopup="dialog"
      aria-label={plain(say.pieces('app.host.person', { name: nameAt(table.names, seat, say) }))}
      onClick={() => {
        dialog.value = { kind: 'person', seat };
      }}
    >
      <span class="dots" aria-hidden="true" />
    </button>
  );
}
