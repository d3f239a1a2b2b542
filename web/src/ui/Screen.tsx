// Which screen stands: gone, still connecting, the lobby, or the table.

import { useApp } from '../app';
import { Connection } from './Connection';
import { Gone } from './Gone';
import { Header } from './Header';
import { Lobby } from './Lobby';
import { Table } from './Table';

export function Screen() {
  const { store, stage } = useApp();
  const link = store.link.value;
  const table = store.table.value;
  if (link.kind === 'ended') return <Gone code={link.code} />;
  const scene = stage.scene.value;
  return (
    <div class={`screen ${table && table.phase !== 'lobby' ? 'screen-table' : 'screen-lobby'}`}>
      <Header />
      <Connection />
      {table &&
        (table.phase === 'lobby' || !scene?.table.game ? (
          <Lobby table={table} />
        ) : (
          <Table table={table} scene={scene} />
        ))}
    </div>
  );
}
