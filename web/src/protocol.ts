// A stand-in for the contract until the generated file takes its place.

export type Suit = 'S' | 'H' | 'D' | 'C';
export type Card = string;
export type Deck = 'standard' | 'double' | 'leftovers';
export type Length = 'any' | 'short' | 'medium' | 'long';
export type By = 'self' | 'auto' | 'table' | 'host' | 'computer';
export type Kind = 'person' | 'computer';

export interface Dealt {
  type: 'dealt';
  table: string;
  game: number;
  deck: Deck;
  length: Length;
  attempt: number;
  stacks: number[];
  spares: Card[];
  first: number;
  cap: number;
  commitment: string;
  nonces: string[];
}
export interface Reshuffled {
  type: 'reshuffled';
  seat: number;
  cards: number;
  shuffle: number;
}
export interface Revealed {
  type: 'revealed';
  n: number;
  seat: number;
  card: Card;
  on: Card | null;
  matched: boolean;
  by: By;
}
export interface Captured {
  type: 'captured';
  seat: number;
  cards: number;
}
export interface Out {
  type: 'out';
  seat: number;
}
export interface Ended {
  type: 'ended';
  reason: 'last_seat' | 'cap' | 'stopped';
  winners: number[];
  held: number[];
  seed: string;
}
export type GameEvent = Dealt | Reshuffled | Revealed | Captured | Out | Ended;

export interface Settings {
  kind: 'people' | 'computers';
  seats: number;
  computers: number;
  deck: Deck;
  length: Length;
  chat: 'open' | 'phrases' | 'off';
  watchers: boolean;
  voice: boolean;
  locked: boolean;
  pace: number;
}
export interface Opened {
  type: 'opened';
  settings: Settings;
  host: number;
}
export interface Committed {
  type: 'committed';
  game: number;
  commitment: string;
}
export interface Seated {
  type: 'seated';
  seat: number;
  name: string;
  kind: Kind;
}
export interface Moved {
  type: 'moved';
  seats: number[];
}
export interface Left {
  type: 'left';
  seat: number;
  why: 'left' | 'removed' | 'not_ready';
}
export interface Renamed {
  type: 'renamed';
  seat: number;
  name: string;
}
export interface HostChanged {
  type: 'host';
  seat: number;
}
export interface SettingsChanged {
  type: 'settings';
  settings: Settings;
}
export interface WentAway {
  type: 'away';
  seat: number;
}
export interface CameBack {
  type: 'back';
  seat: number;
}
export interface Readied {
  type: 'ready';
  seat: number;
}
export interface Muted {
  type: 'muted';
  seat: number;
  on: boolean;
}
export interface Said {
  type: 'said';
  id: string;
  seat: number;
  name: string;
  text?: string | null;
  phrase?: string | null;
  at: number;
}
export interface Unsaid {
  type: 'unsaid';
  id: string;
}
export interface VoiceChanged {
  type: 'voice';
  seat: number;
  on: boolean;
  epoch: number;
}
export interface Paused {
  type: 'paused';
  on: boolean;
}
export interface Hurried {
  type: 'hurried';
  seats: number[];
  on: boolean;
}
export type TableEvent =
  | Opened
  | Committed
  | Seated
  | Moved
  | Left
  | Renamed
  | HostChanged
  | SettingsChanged
  | WentAway
  | CameBack
  | Readied
  | Muted
  | Said
  | Unsaid
  | VoiceChanged
  | Paused
  | Hurried;
export type Event = GameEvent | TableEvent;

export interface SeatView {
  seat: number;
  name: string;
  kind: Kind;
  present: boolean;
  away: boolean;
  voice: boolean;
}
export interface PileView {
  size: number;
  top: Card | null;
}
export interface GameView {
  game: number;
  deck: Deck;
  length: Length;
  attempt: number;
  commitment: string;
  nonces: string[];
  n: number;
  cap: number;
  turn: number | null;
  again: boolean;
  pile: PileView;
  stacks: number[];
  collected: number[];
  out: boolean[];
  winners: number[] | null;
  held: number[] | null;
  last: Event[];
}
export type Phase = 'lobby' | 'playing' | 'over';
export interface You {
  seat: number | null;
  host: boolean;
  watching: boolean;
}
export interface Snapshot {
  epoch: string;
  seq: number;
  mark: string;
  you: You;
  settings: Settings;
  phase: Phase;
  host: number | null;
  seats: SeatView[];
  watching: number;
  commitment: string;
  game: GameView | null;
  ready: number[];
  said: Said[];
  serverTime: number;
}
export interface EventsMessage {
  epoch: string;
  seq: number;
  mark: string;
  at: number;
  events: Event[];
}
export interface Moment {
  turnDue: number | null;
}
export interface PresenceNote {
  watching: number;
  absent: number[];
}
export interface Notice {
  code:
    | 'draining'
    | 'replaced'
    | 'removed'
    | 'closed'
    | 'deleted'
    | 'expired'
    | 'nudged'
    | 'store_down'
    | 'store_back';
}
export type RefusalCode =
  | 'bad_request'
  | 'too_fast'
  | 'not_host'
  | 'not_seated'
  | 'not_started'
  | 'already_started'
  | 'over'
  | 'full'
  | 'locked'
  | 'bad_name'
  | 'no_cookie'
  | 'need_two'
  | 'not_ready'
  | 'out'
  | 'not_your_turn'
  | 'turning'
  | 'replaced'
  | 'closed'
  | 'removed'
  | 'no_table'
  | 'too_many';
export type Since = [string, number, string];
export interface Commands {
  sit: { id: string; name?: string; seat?: number };
  leave: { id: string };
  rename: { id: string; name: string };
  nonce: { id: string; nonce: string };
  start: { id: string };
  reveal: { n: number };
  auto: { on: boolean };
  ready: { id: string };
  stop: { id: string };
  sync: { since: Since | null };
}
