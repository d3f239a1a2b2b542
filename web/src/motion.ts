// The motion itself, by the Web Animations API: decorations laid over the page that catch no tap and hold nothing up.
// Nothing moves for those who ask for less motion; everything it shows is also there without it.

import type { Mover } from './stage';

const EASE = 'cubic-bezier(.2,.8,.3,1)';

/** Make the mover of one page. `root` holds the places: `data-place="pile"` and `data-place="seat-2"`. */
export function createMover(root: ParentNode, reduced: () => boolean): Mover {
  const place = (name: string): HTMLElement | null => root.querySelector(`[data-place="${name}"]`);

  /** How far apart the middles of two places are, in px; null where one is not drawn. */
  function way(from: HTMLElement | null, to: HTMLElement | null): { x: number; y: number } | null {
    if (!from || !to) return null;
    const a = from.getBoundingClientRect();
    const b = to.getBoundingClientRect();
    return { x: b.x + b.width / 2 - a.x - a.width / 2, y: b.y + b.height / 2 - a.y - a.height / 2 };
  }

  return {
    fly(seat, ms) {
      if (reduced()) return;
      // After the framework has drawn the new card, which it does in a microtask.
      setTimeout(() => {
        const card = place('pile');
        const back = way(card, place(`seat-${seat}`));
        if (!card || !back) return;
        card.animate(
          [
            { transform: `translate(${back.x}px, ${back.y}px) rotate(-8deg) scale(.5)`, opacity: 0.4 },
            { transform: 'none', opacity: 1 },
          ],
          { duration: ms, easing: EASE },
        );
      }, 0);
    },
    sweep(seat, ms) {
      if (reduced()) return;
      const pile = place('pile');
      const there = way(pile, place(`seat-${seat}`));
      if (!pile || !there) return;
      pile.animate(
        [
          { transform: 'none', opacity: 1 },
          { transform: `translate(${there.x}px, ${there.y}px) rotate(10deg) scale(.4)`, opacity: 0.2 },
        ],
        { duration: ms, easing: 'ease-in', fill: 'none' },
      );
    },
  };
}
