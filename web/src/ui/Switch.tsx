// A switch with its words, and under them why it would not turn.

import type { ComponentChildren } from 'preact';

interface Props {
  testid: string;
  on: boolean;
  change(on: boolean): void;
  children: ComponentChildren;
}

export function Switch({ testid, on, change, children }: Props) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        data-testid={testid}
        checked={on}
        aria-checked={on}
        onChange={(event) => {
          const wished = event.currentTarget.checked;
          // The server's word turns it, not the thumb.
          event.currentTarget.checked = on;
          change(wished);
        }}
      />
      <span>{children}</span>
    </label>
  );
}
