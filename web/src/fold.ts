// The table as this client knows it, kept from the server's snapshot and events alone.
// Pure: no clock, no page, no wire, and no judgement of whether an event may happen; an unknown event changes
// nothing. Invariant: `foldGame` over a game's log gives what the engine's own `fold` gives (tests/golden/folds.json).

import { foldTalk } from './chat';
import type {
  Dealt,
  Event,
  EventsMessage,
  GameEvent,
  GameView,
  HurryView,
  Kind,
  PresenceNote,
  Said,
  SeatView,
  Settings,
  Snapshot,
  You,
} from './protocol';

/** Who is, or during this game was, at a seat: a name outlives its seat's being freed. */
export interface Named {
  name: string;
  kind: Kind;
}

/** The table. `names` is indexed by seat. */
export interface Table {
  epoch: string;
  seq: number;
  mark: string;
  you: You;
  settings: Settings;
  phase: Snapshot['phase'];
  host: number | null;
  seats: readonly SeatView[];
  watching: number;
  commitment: string;
  game: GameView | null;
  ready: readonly number[];
  said: readonly Said[];
  names: readonly (Named | undefined)[];
  /** Whether nothing turns by itself (computer tables). */
  paused: boolean;
  /** Who wishes to hurry, and whether all present do, so that it is on. */
  hurried: HurryView;
  /** When the turn came round, or its seat came back, as far as this client saw it (ms by the store's clock). */
  turnSince: number;
}

const NO_HURRY: HurryView = { seats: [], on: false };
/** How every game begins and ends. */
const UNHURRIED = { paused: false, hurried: NO_HURRY };

/** Begin from a snapshot: whatever was known before is thrown away. */
export function fromSnapshot(snapshot: Snapshot): Table {
  const names: (Named | undefined)[] = [];
  for (const { seat, name, kind } of snapshot.seats) names[seat] = { name, kind };
  const { epoch, seq, mark, you, settings, phase, host, seats, watching, commitment, game, ready, said } =
    snapshot;
  return {
    epoch,
    seq,
    mark,
    you,
    settings,
    phase,
    host,
    seats,
    watching,
    commitment,
    game,
    ready,
    said,
    names,
    paused: snapshot.paused ?? false,
    hurried: snapshot.hurried ?? NO_HURRY,
    turnSince: snapshot.serverTime,
  };
}

const TURNS: ReadonlySet<string> = new Set(['dealt', 'revealed', 'back']);
const OF_A_REVEAL: ReadonlySet<string> = new Set(['reshuffled', 'revealed', 'captured', 'out', 'ended']);

/** Take in one whole batch; the caller has seen to it that it is the next. */
export function foldBatch(table: Table, batch: EventsMessage): Table {
  let next = table;
  for (const event of batch.events) next = fold(next, event);
  const { game } = next;
  if (game && batch.events.some((event) => event.type === 'revealed')) {
    next = { ...next, game: { ...game, last: batch.events.filter(({ type }) => OF_A_REVEAL.has(type)) } };
  }
  const turnSince = batch.events.some(({ type }) => TURNS.has(type)) ? batch.at : next.turnSince;
  return { ...next, turnSince, epoch: batch.epoch, seq: batch.seq, mark: batch.mark };
}

/** Take in who is there; not numbered, so it may be late or missing. */
export function foldPresence(table: Table, note: PresenceNote): Table {
  const seats = table.seats.map((seat) =>
    seat.kind === 'computer' ? seat : { ...seat, present: !note.absent.includes(seat.seat) },
  );
  return { ...table, seats, watching: note.watching };
}

/** Take in one event of the table or of its game. */
export function fold(table: Table, event: Event): Table {
  switch (event.type) {
    case 'dealt':
      return {
        ...table,
        game: dealt(event),
        phase: 'playing',
        ready: [],
        commitment: event.commitment,
        ...UNHURRIED,
      };
    case 'ended':
      return { ...table, game: foldGame(table.game, event), phase: 'over', ready: [], ...UNHURRIED };
    case 'reshuffled':
    case 'revealed':
    case 'captured':
    case 'out':
      return { ...table, game: foldGame(table.game, event) };
    case 'opened':
      return withHost({ ...table, settings: event.settings }, event.host);
    case 'committed':
      return { ...table, commitment: event.commitment };
    case 'seated':
      return seated(table, event.seat, event.name, event.kind);
    case 'moved':
      return moved(table, event.seats);
    case 'left':
      return left(table, event.seat);
    case 'renamed':
      return withName(changeSeat(table, event.seat, { name: event.name }), event.seat, event.name);
    case 'host':
      return withHost(table, event.seat);
    case 'settings':
      return { ...table, settings: event.settings };
    case 'away':
      return changeSeat(table, event.seat, { away: true, present: false });
    case 'back':
      return changeSeat(table, event.seat, { away: false, present: true });
    case 'ready':
      return { ...table, ready: sorted([...without(table.ready, event.seat), event.seat]) };
    case 'muted':
      return muted(table, event.seat, event.on);
    case 'said':
    case 'unsaid':
      return { ...table, said: foldTalk(table.said, event) };
    case 'voice':
      return changeSeat(table, event.seat, { voice: event.on });
    case 'paused':
      return { ...table, paused: event.on };
    case 'hurried':
      return { ...table, hurried: { seats: event.seats, on: event.on } };
    default:
      // A newer server may say more than this app understands.
      return table;
  }
}

/** Which reveal of the table's is to come: its number alone comes again in every game. */
export function comingOf(game: GameView): string {
  return `${game.game}.${game.n + 1}`;
}

/** Take in one event of the game; null before the first `dealt`. */
export function foldGame(view: GameView | null, event: GameEvent): GameView | null {
  if (event.type === 'dealt') return dealt(event);
  if (view === null) return null;
  switch (event.type) {
    case 'reshuffled':
      return {
        ...view,
        stacks: put(view.stacks, event.seat, event.cards),
        collected: put(view.collected, event.seat, 0),
      };
    case 'revealed':
      return {
        ...view,
        n: event.n,
        stacks: put(view.stacks, event.seat, (view.stacks[event.seat] ?? 0) - 1),
        pile: { size: view.pile.size + 1, top: event.card },
        turn: event.matched ? event.seat : following(event.seat, view.out),
        again: event.matched,
      };
    case 'captured':
      return {
        ...view,
        collected: put(view.collected, event.seat, (view.collected[event.seat] ?? 0) + event.cards),
        pile: { size: 0, top: null },
      };
    case 'out':
      return { ...view, out: put(view.out, event.seat, true) };
    case 'ended':
      return { ...view, turn: null, again: false, winners: event.winners, held: event.held };
  }
}

function dealt(event: Dealt): GameView {
  const { game, deck, length, attempt, commitment, nonces, cap, first, stacks, spares } = event;
  return {
    game,
    deck,
    length,
    attempt,
    commitment,
    nonces,
    n: 0,
    cap,
    turn: first,
    again: false,
    pile: { size: spares.length, top: spares[spares.length - 1] ?? null },
    stacks,
    collected: stacks.map(() => 0),
    out: stacks.map(() => false),
    winners: null,
    held: null,
    last: [],
  };
}

/** The seat that the turn passes to: the next by number that is not out. */
function following(seat: number, out: readonly boolean[]): number {
  for (let step = 1; step < out.length; step += 1) {
    const next = (seat + step) % out.length;
    if (!out[next]) return next;
  }
  return seat;
}

function seated(table: Table, seat: number, name: string, kind: Kind): Table {
  const others = table.seats.filter((other) => other.seat !== seat);
  const seats = [...others, { seat, name, kind, present: true, away: false, voice: false }];
  seats.sort((a, b) => a.seat - b.seat);
  // Who sits down between games sits down to play.
  const ready = table.phase === 'over' ? sorted([...table.ready, seat]) : table.ready;
  return withName({ ...table, seats, ready }, seat, name, kind);
}

/** Between games a seat that is left is free; during one it keeps its place, its name and its cards. */
function left(table: Table, seat: number): Table {
  const you = table.you.seat === seat ? { ...table.you, seat: null, host: false, watching: true } : table.you;
  const ready = without(table.ready, seat);
  if (table.phase === 'playing') {
    return { ...changeSeat(table, seat, { present: false, away: true, voice: false }), you, ready };
  }
  const host = table.host === seat ? null : table.host;
  return { ...table, host, seats: table.seats.filter((other) => other.seat !== seat), you, ready };
}

function moved(table: Table, oldSeats: readonly number[]): Table {
  const to = (seat: number | null): number | null => {
    const at = seat === null ? -1 : oldSeats.indexOf(seat);
    return at < 0 ? null : at;
  };
  const seats = oldSeats.flatMap((old, seat) => {
    const before = table.seats.find((other) => other.seat === old);
    return before ? [{ ...before, seat }] : [];
  });
  const names = oldSeats.map((old) => table.names[old]);
  const ready = table.ready.flatMap((seat) => to(seat) ?? []);
  return {
    ...table,
    seats,
    names,
    ready,
    host: to(table.host),
    you: { ...table.you, seat: to(table.you.seat) },
  };
}

function withHost(table: Table, host: number): Table {
  return { ...table, host, you: { ...table.you, host: table.you.seat === host } };
}

function withName(table: Table, seat: number, name: string, kind?: Kind): Table {
  const names = [...table.names];
  names[seat] = { name, kind: kind ?? names[seat]?.kind ?? 'person' };
  return { ...table, names };
}

function changeSeat(table: Table, seat: number, change: Partial<SeatView>): Table {
  return {
    ...table,
    seats: table.seats.map((other) => (other.seat === seat ? { ...other, ...change } : other)),
  };
}

/** A seat that may speak says nothing of it, as in the snapshot. */
function muted(table: Table, seat: number, on: boolean): Table {
  const seats = table.seats.map((other) => {
    if (other.seat !== seat) return other;
    const { muted: _, ...rest } = other;
    return on ? { ...rest, muted: true as const } : rest;
  });
  return { ...table, seats };
}

function put<T>(values: readonly T[], at: number, value: T): T[] {
  return values.map((old, index) => (index === at ? value : old));
}

function sorted(seats: readonly number[]): number[] {
  return [...seats].sort((a, b) => a - b);
}

function without(seats: readonly number[], seat: number): number[] {
  return seats.filter((other) => other !== seat);
}
