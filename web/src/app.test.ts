import { describe, expect, it, vi } from 'vitest';
import { createClock, createMemory, readTableId, showTableId, takeToken } from './app';

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

describe('a link that brings a seat along', () => {
  const at = (hash: string) => ({ hash, pathname: '/t/7ygvhbvchejm', search: '' });

  it('gives its token once, and leaves the address without it', () => {
    const replaceState = vi.fn();
    expect(takeToken(at('#seat=aB-_9'), { replaceState })).toBe('aB-_9');
    expect(replaceState).toHaveBeenCalledWith(null, '', '/t/7ygvhbvchejm');
  });

  it('is told from any other fragment, which stays', () => {
    const replaceState = vi.fn();
    for (const hash of ['', '#', '#seat=', '#seat=a b', '#log']) {
      expect(takeToken(at(hash), { replaceState })).toBeNull();
    }
    expect(replaceState).not.toHaveBeenCalled();
  });
});
