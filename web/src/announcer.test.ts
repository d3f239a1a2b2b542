import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Announcer, createAnnouncer } from './announcer';

let polite: HTMLElement;
let assertive: HTMLElement;
let announcer: Announcer;

beforeEach(() => {
  vi.useFakeTimers();
  polite = document.createElement('div');
  assertive = document.createElement('div');
  announcer = createAnnouncer(
    polite,
    assertive,
    (count) => `${count} more.`,
    (count) => `${count} lines.`,
  );
});

afterEach(() => {
  vi.useRealTimers();
});

it('joins what waits, in order', () => {
  announcer.say('One.');
  announcer.say('Two.');
  expect(polite.textContent).toBe('');
  vi.advanceTimersByTime(500);
  expect(polite.textContent).toBe('One. Two.');
});

it('waits until what it says has been spoken', () => {
  announcer.say('x'.repeat(100));
  vi.advanceTimersByTime(500);
  announcer.say('Next.');
  vi.advanceTimersByTime(2000);
  expect(polite.textContent).toMatch(/^x+$/);
  vi.advanceTimersByTime(5000);
  expect(polite.textContent).toBe('Next.');
});

it('sums up more than three, keeping the newest', () => {
  for (const text of ['1.', '2.', '3.', '4.', '5.']) announcer.say(text);
  vi.advanceTimersByTime(500);
  expect(polite.textContent).toBe('2 more. 3. 4. 5.');
});

it('says the same sentence twice', () => {
  announcer.say('Again.');
  vi.advanceTimersByTime(500);
  const first = polite.textContent;
  announcer.say('Again.');
  vi.advanceTimersByTime(3000);
  expect(polite.textContent).not.toBe(first);
  expect(polite.textContent?.trim()).toBe('Again.');
});

it('interrupts in a region of its own', () => {
  announcer.interrupt('Lost.');
  expect(assertive.textContent).toBe('Lost.');
});

it('tells lines of chat after the play, and of many only how many they are', () => {
  announcer.line('A says: hi.');
  announcer.say('One.');
  announcer.line('B says: hi.');
  vi.advanceTimersByTime(500);
  expect(polite.textContent).toBe('One. A says: hi. B says: hi.');
  for (const text of ['a', 'b', 'c']) announcer.line(text);
  for (const text of ['1.', '2.', '3.', '4.']) announcer.say(text);
  vi.advanceTimersByTime(5000);
  expect(polite.textContent).toBe('1 more. 2. 3. 4. 3 lines.');
});

it('tells a line of chat where there is no play', () => {
  announcer.line('A says: hi.');
  vi.advanceTimersByTime(500);
  expect(polite.textContent).toBe('A says: hi.');
});
