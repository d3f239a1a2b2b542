// Records for tests: a table as the server would send it, with what a test wants otherwise.

import bn from '../../../server/locale/bn.json';
import en from '../../../server/locale/en.json';
import { fromSnapshot, type Table } from '../fold';
import type { Event, EventsMessage, GameView, Said, SeatView, Settings, Snapshot } from '../protocol';
import { createWords } from '../words';

export const english = createWords('en', en);
export const bengali = createWords('bn', bn);

export const settings: Settings = {
  kind: 'people',
  seats: 4,
  computers: 0,
  deck: 'standard',
  length: 'any',
  chat: 'open',
  watchers: true,
  voice: false,
  locked: false,
  pace: 1,
};

export const seatOf = (seat: number, name: string, more: Partial<SeatView> = {}): SeatView => ({
  seat,
  name,
  kind: 'person',
  present: true,
  away: false,
  voice: false,
  ...more,
});

export const gameOf = (more: Partial<GameView> = {}): GameView => ({
  game: 1,
  deck: 'standard',
  length: 'any',
  attempt: 0,
  commitment: 'c1',
  nonces: ['0', '0'],
  n: 0,
  cap: 5000,
  turn: 0,
  again: false,
  pile: { size: 1, top: 'KD' },
  stacks: [26, 25],
  collected: [0, 0],
  out: [false, false],
  winners: null,
  held: null,
  last: [],
  ...more,
});

export const snapshotOf = (more: Partial<Snapshot> = {}): Snapshot => ({
  epoch: 'e1',
  seq: 5,
  mark: 'm5',
  you: { seat: 0, host: true, watching: false },
  settings,
  phase: 'lobby',
  host: 0,
  seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela')],
  watching: 0,
  commitment: 'c1',
  game: null,
  ready: [],
  said: [],
  serverTime: 1000,
  ...more,
});

export const playing = (game: Partial<GameView> = {}, more: Partial<Snapshot> = {}): Snapshot =>
  snapshotOf({ phase: 'playing', game: gameOf(game), ...more });

export const tableOf = (more: Partial<Snapshot> = {}): Table => fromSnapshot(snapshotOf(more));

export const batchOf = (seq: number, ...events: Event[]): EventsMessage => ({
  epoch: 'e1',
  seq,
  mark: `m${seq}`,
  at: 1000 + seq,
  events,
});

/** A line of Asha's, unless told otherwise; a phrase has no text. */
export const saidOf = (id: string, more: Partial<Said> = {}): Said => ({
  type: 'said',
  id,
  seat: 0,
  name: 'Asha',
  at: 1000,
  ...(more.phrase === undefined ? { text: id } : {}),
  ...more,
});

export const revealed = (
  n: number,
  seat: number,
  card: string,
  on: string | null,
  matched = false,
): Event => ({
  type: 'revealed',
  n,
  seat,
  card,
  on,
  matched,
  by: 'self',
});
