// A sentence on the page: names isolated, so that a name's direction never turns the sentence round.

import type { Sentence } from '../words';

export function Say({ sentence }: { sentence: Sentence }) {
  return (
    <>
      {sentence.map((piece, index) =>
        typeof piece === 'string' ? piece : <bdi key={index}>{piece.name}</bdi>,
      )}
    </>
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
