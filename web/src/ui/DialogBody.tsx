// What stands in the dialog. It comes as one piece of script, loaded when the first dialog is opened.
// Invariant: a dialog whose ground is gone (no host any more, that person left) closes by itself.

import { useEffect } from 'preact/hooks';
import { type Dialog, useApp } from '../app';
import type { Table } from '../fold';
import { ClaimSeat } from './ClaimSeat';
import { MoveSeat } from './MoveSeat';
import { PersonMenu, personAt } from './PersonMenu';
import { SettingsForm } from './SettingsForm';
import { TableMenu } from './TableMenu';

/** Whether this dialog still has its ground. */
export function stands(dialog: Dialog, table: Table): boolean {
  switch (dialog.kind) {
    case 'menu':
    case 'claim':
      return true;
    case 'move':
      return table.you.seat !== null;
    case 'settings':
      return table.you.host && table.phase !== 'playing';
    case 'person':
      return table.you.host && personAt(table, dialog.seat) !== null;
  }
}

export function DialogBody({ dialog, table }: { dialog: Dialog; table: Table }) {
  const app = useApp();
  const standing = stands(dialog, table);
  useEffect(() => {
    if (!standing) app.dialog.value = null;
  }, [standing]);
  if (!standing) return null;
  switch (dialog.kind) {
    case 'menu':
      return <TableMenu table={table} />;
    case 'settings':
      return <SettingsForm table={table} />;
    case 'move':
      return <MoveSeat />;
    case 'person':
      // By name too: a question about one person is never answered about the next who has that seat.
      return (
        <PersonMenu
          key={`${dialog.seat} ${personAt(table, dialog.seat)?.name}`}
          table={table}
          seat={dialog.seat}
        />
      );
    case 'claim':
      return <ClaimSeat token={dialog.token} table={table} />;
  }
}
