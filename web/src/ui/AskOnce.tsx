// A button for what cannot be undone: its first tap asks, and only the answer does it. "No" is where the focus goes.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app';
import type { Sentence } from '../words';
import { Say, SayLine } from './Say';

interface Props {
  testid: string;
  label: Sentence;
  question: Sentence;
  yes: string;
  act(): void;
}

export function AskOnce({ testid, label, question, yes, act }: Props) {
  const [asked, setAsked] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const no = useRef<HTMLButtonElement>(null);
  const was = useRef(false);
  const say = useApp().words.value;
  useLayoutEffect(() => {
    if (asked) no.current?.focus();
    else if (was.current) first.current?.focus();
    was.current = asked;
  }, [asked]);

  if (!asked) {
    return (
      <button ref={first} type="button" class="danger" data-testid={testid} onClick={() => setAsked(true)}>
        <SayLine sentence={label} />
      </button>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a question and its two answers are no fieldset of a form
    <div class="ask" role="group" aria-labelledby={`ask-${testid}`}>
      <p id={`ask-${testid}`}>
        <Say sentence={question} />
      </p>
      <p class="row">
        <button
          type="button"
          class="danger"
          data-testid={`${testid}-yes`}
          onClick={() => {
            setAsked(false);
            act();
          }}
        >
          {yes}
        </button>
        <button
          ref={no}
          type="button"
          aria-describedby={`ask-${testid}`}
          data-testid={`${testid}-no`}
          onClick={() => setAsked(false)}
        >
          {say.text('app.ask.no')}
        </button>
      </p>
    </div>
  );
}
