// A sentence on the page: names isolated, so that a name's direction never turns the sentence round.

import type { Sentence } from '../words';

/** From how many letters on a name gives way, where there is little room. */
const LONG = 12;

export function Say({ sentence }: { sentence: Sentence }) {
  return (
    <>
      {sentence.map((piece, index) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <bdi key={index} class={piece.name.length > LONG ? 'long' : undefined}>
            {piece.name}
          </bdi>
        ),
      )}
    </>
  );
}

/** A sentence as the one thing in a button or a row, which would else lose the spaces round a name. */
export function SayLine({ sentence }: { sentence: Sentence }) {
  return (
    <span>
      <Say sentence={sentence} />
    </span>
  );
}

/** Several sentences, one after the other. */
export function SayAll({ sentences }: { sentences: readonly Sentence[] }) {
  return (
    <>
      {sentences.map((sentence, index) => (
        <span key={index} class="say">
          <Say sentence={sentence} />{' '}
        </span>
      ))}
    </>
  );
}
