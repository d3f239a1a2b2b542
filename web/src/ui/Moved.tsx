// Said where the seat was: it went along to another device, and this one watches.

import { useApp } from '../app';

export function Moved() {
  const { store, words } = useApp();
  if (!store.moved.value) return null;
  const say = words.value;
  return (
    <div class="moved" role="status" data-testid="moved">
      <p>{say.text('app.move.moved')}</p>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          store.moved.value = false;
        }}
      >
        {say.text('app.close')}
      </button>
    </div>
  );
}
