// Which screen stands: gone, still connecting, the lobby, or the table.

import { useEffect } from 'preact/hooks';
import { useApp } from '../app';
import { Connection } from './Connection';
import { Dialogs } from './Dialogs';
import { Gone } from './Gone';
import { Header } from './Header';
import { Lobby } from './Lobby';
import { Moved } from './Moved';
import { Table } from './Table';

export function Screen() {
  const { store, stage } = useApp();
  const link = store.link.value;
  const table = store.table.value;
  const scene = stage.scene.value;
  const atTable = table !== null && table.phase !== 'lobby';
  // Another screen begins at its top: the lobby's start button lies far down on a small phone.
  useEffect(() => window.scrollTo(0, 0), [link.kind === 'ended', atTable]);
  if (link.kind === 'ended') return <Gone code={link.code} />;
  return (
    <div class={`screen ${table && table.phase !== 'lobby' ? 'screen-table' : 'screen-lobby'}`}>
      <Header />
      <Connection />
      <Moved />
      {table &&
        (table.phase === 'lobby' || !scene?.table.game ? (
          <Lobby table={table} />
        ) : (
          <Table table={table} scene={scene} />
        ))}
      {table && <Dialogs table={table} />}
    </div>
  );
}
