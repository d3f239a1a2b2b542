import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMover } from './motion';

let animated: Keyframe[][];
let quiet: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  animated = [];
  quiet = false;
  document.body.innerHTML = '<i data-place="pile"></i><i data-place="seat-1"></i>';
  for (const element of document.querySelectorAll('i')) {
    element.animate = ((frames: Keyframe[]) => void animated.push(frames)) as unknown as Element['animate'];
  }
});

afterEach(() => {
  vi.useRealTimers();
});

const mover = () => createMover(document, () => quiet);

it('flies a card in from its seat, once it is drawn', () => {
  mover().fly(1, 240);
  expect(animated).toHaveLength(0);
  vi.advanceTimersByTime(1);
  expect(animated[0]?.[1]).toMatchObject({ transform: 'none' });
});

it('sweeps the pile to a seat', () => {
  mover().sweep(1, 180);
  expect(animated).toHaveLength(1);
});

it('moves nothing for those who ask for less', () => {
  quiet = true;
  mover().fly(1, 240);
  mover().sweep(1, 180);
  vi.advanceTimersByTime(10);
  expect(animated).toHaveLength(0);
});

it('does without a place that is not drawn', () => {
  mover().fly(5, 240);
  mover().sweep(5, 180);
  vi.advanceTimersByTime(10);
  expect(animated).toHaveLength(0);
});
