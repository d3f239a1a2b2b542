import { describe, expect, it } from 'vitest';
import type { Link } from './connection';
import { fromSnapshot } from './fold';
import type { Snapshot } from './protocol';
import { reasonOf } from './reasons';
import { english, gameOf, playing, snapshotOf } from './test/builders';
import { plain } from './words';

const live: Link = { kind: 'live' };
const why = (snapshot: Snapshot, link: Link = live, turning: number | null = null): string | undefined =>
  reasonOf(fromSnapshot(snapshot), link, turning, english)?.code;

describe('why a stack will not tap', () => {
  it('is nothing on your turn', () => {
    expect(why(playing())).toBeUndefined();
  });

  it('names whose turn it is', () => {
    const reason = reasonOf(fromSnapshot(playing({ turn: 1 })), live, null, english);
    expect(reason?.code).toBe('not_your_turn');
    expect(plain(reason?.sentence ?? [])).toBe('It is not your turn: it is Bela’s.');
  });

  it('tells every other cause apart', () => {
    const watcher = { you: { seat: null, host: false, watching: true } };
    expect(reasonOf(null, live, null, english)?.code).toBe('connecting');
    expect(why(playing(), { kind: 'lost', retryAt: 0, code: null })).toBe('connection');
    expect(why(snapshotOf())).toBe('not_started');
    expect(why(snapshotOf({ phase: 'over', game: gameOf({ turn: null }) }))).toBe('over');
    expect(why(playing({}, watcher))).toBe('watching');
    expect(why(playing({ out: [true, false], turn: 1 }))).toBe('out');
    expect(why(playing(), live, 1)).toBe('turning');
  });
});
