// A command sent from a part of the screen that says itself why it was refused.

import { useState } from 'preact/hooks';
import { useApp } from '../app';
import type { Command } from '../asking';
import type { Accepted } from '../protocol';
import { NO_ANSWER, type Refusal, refusalOf } from '../store';

export interface Sending {
  /** Send; the answer if it was a yes, else null with the refusal kept. */
  send(...sent: Parameters<Command>): Promise<Accepted | null>;
  readonly refusal: Refusal | null;
}

export function useSending(): Sending {
  const { command } = useApp();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  return {
    refusal,
    async send(name, payload) {
      setRefusal(null);
      const reply = await command(name, payload);
      if (reply?.ok) return reply;
      setRefusal(reply ? refusalOf(reply) : NO_ANSWER);
      return null;
    },
  };
}
