// A card's face and the four suits, drawn by hand as paths. A suit is told by its shape, never by its colour alone.

const SHAPES: Record<string, string> = {
  H: 'M50 90C22 68 8 52 8 33 8 18 19 9 31 9c9 0 15 5 19 12C54 14 60 9 69 9c12 0 23 9 23 24 0 19-14 35-42 57Z',
  D: 'M50 3C59 19 72 36 89 50 72 64 59 81 50 97 41 81 28 64 11 50 28 36 41 19 50 3Z',
  S: 'M50 6C60 24 92 40 92 62c0 13-10 21-21 21-7 0-12-3-16-8 1 8 4 14 10 19H35c6-5 9-11 10-19-4 5-9 8-16 8C18 83 8 75 8 62 8 40 40 24 50 6Z',
  C: 'M50 6c12 0 21 9 21 20 0 6-2 11-6 15 3-1 6-2 9-2 12 0 20 9 20 20s-9 20-20 20c-8 0-15-4-19-11 0 11 4 20 11 26H34c7-6 11-15 11-26-4 7-11 11-19 11C15 79 6 70 6 59s8-20 20-20c3 0 6 1 9 2-4-4-6-9-6-15C29 15 38 6 50 6Z',
};

export function SuitMark({ suit, class: extra = '' }: { suit: string; class?: string }) {
  return (
    <svg class={`suit suit-${suit} ${extra}`} viewBox="0 0 100 100" aria-hidden="true" focusable="false">
      <path d={SHAPES[suit]} fill="currentColor" />
    </svg>
  );
}

/** A rank as it stands on a card: Latin, ten written out. */
export const rankMark = (card: string): string => (card.startsWith('T') ? '10' : card.slice(0, 1));

export function CardFace({ card }: { card: string }) {
  const suit = card.slice(1);
  return (
    <div class={`card suit-${suit}`} aria-hidden="true">
      <span class="card-index">
        {rankMark(card)}
        <SuitMark suit={suit} />
      </span>
      <SuitMark suit={suit} class="card-middle" />
      <span class="card-index card-index-foot">
        {rankMark(card)}
        <SuitMark suit={suit} />
      </span>
    </div>
  );
}

/** The back: an alpona lotus, as drawn on floors in Bengal at festivals. */
export function CardBack() {
  const petals = Array.from({ length: 8 }, (_, index) => index * 45);
  return (
    <div class="card card-back" aria-hidden="true">
      <svg viewBox="0 0 100 140" aria-hidden="true" focusable="false">
        <rect x="7" y="7" width="86" height="126" rx="8" class="line" />
        <g class="line">
          {petals.map((turn) => (
            <path
              key={turn}
              d="M50 70C38 58 40 42 50 32 60 42 62 58 50 70Z"
              transform={`rotate(${turn} 50 70)`}
            />
          ))}
          <circle cx="50" cy="70" r="44" stroke-dasharray="2 6" />
          <path d="M14 20q8 0 8-8M86 20q-8 0-8-8M14 120q8 0 8 8M86 120q-8 0-8 8" />
        </g>
        <circle cx="50" cy="70" r="6" class="dot" />
      </svg>
    </div>
  );
}
