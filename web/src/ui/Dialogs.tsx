// The one dialog over the table, and its loading: what stands in it comes over the network when it is first wanted.
// Native `<dialog>`: it holds the focus, ends by Escape, and gives the focus back to what opened it.

import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Dialog, useApp } from '../app';
import type { Table } from '../fold';

type Body = ComponentType<{ dialog: Dialog; table: Table }>;

export function Dialogs({ table }: { table: Table }) {
  const { dialog, words } = useApp();
  const [Body, setBody] = useState<Body | null>(null);
  const element = useRef<HTMLDialogElement>(null);
  const wanted = dialog.value;

  useEffect(() => {
    if (!wanted || Body) return;
    import('./DialogBody').then(
      (loaded) => setBody(() => loaded.DialogBody),
      // Offline before it was ever loaded: the table itself says that the connection is lost.
      () => {
        dialog.value = null;
      },
    );
  }, [wanted, Body]);

  // Before anything else is done on the page: what has the focus now gets it back.
  useLayoutEffect(() => {
    const here = element.current;
    if (!here) return;
    if (wanted && Body && !here.open) here.showModal();
    if (!wanted && here.open) here.close();
  }, [wanted, Body]);

  // Another dialog in place of the one before begins at its top.
  useLayoutEffect(() => {
    if (wanted) element.current?.querySelector('h2')?.focus();
  }, [wanted, Body]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a tap beside the dialog closes it; the keyboard has Escape
    <dialog
      ref={element}
      class="dialog"
      data-testid="dialog"
      data-value={wanted?.kind ?? ''}
      aria-labelledby="dialog-title"
      onClose={() => {
        dialog.value = null;
      }}
      onClick={(event) => {
        // On the backdrop, which is the dialog's own.
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      {wanted && Body && (
        <div class="dialog-inside">
          <button
            type="button"
            class="quiet dialog-close"
            data-testid="dialog-close"
            aria-label={words.value.text('app.close')}
            onClick={() => element.current?.close()}
          >
            <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
              <path
                d="M5 5l14 14M19 5L5 19"
                stroke="currentColor"
                stroke-width="2.5"
                stroke-linecap="round"
              />
            </svg>
          </button>
          <Body dialog={wanted} table={table} />
        </div>
      )}
    </dialog>
  );
}
