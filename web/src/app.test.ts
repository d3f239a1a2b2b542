import { expect, it, vi } from 'vitest';
import { createClock, createMemory, readTableId, showTableId } from './app';

it('reads a table id as people may write it', () => {
  expect(readTableId('7YGV-hbvc-OiL1')).toBe('7ygvhbvc0111');
  expect(showTableId('7ygvhbvchejm')).toBe('7ygv-hbvc-hejm');
});

it('remembers where it may, and for the page’s life where it may not', () => {
  const refusing = createMemory(() => {
    throw new Error('denied');
  });
  refusing.set('a', '1');
  expect(refusing.get('a')).toBe('1');
  expect(refusing.get('b')).toBeNull();
  const keeping = createMemory(() => localStorage);
  keeping.set('a', '2');
  expect(localStorage.getItem('a')).toBe('2');
  expect(keeping.get('a')).toBe('2');
});

it('ticks once a second', () => {
  vi.useFakeTimers();
  let now = 5;
  const clock = createClock(() => now);
  now = 9;
  vi.advanceTimersByTime(1000);
  expect(clock.value).toBe(9);
  vi.useRealTimers();
});
