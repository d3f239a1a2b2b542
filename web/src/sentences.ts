// The one builder of sentences about what happened: for the line under the pile, the log, speech and tests.
// It chooses whole-sentence templates and fills them; it never glues a sentence together from parts.

import { changesOf } from './changes';
import { fold, type Named, type Table } from './fold';
import type { Captured, Ended, Event, Revealed } from './protocol';
import type { Key, Piece, Sentence, Words } from './words';

/** How to name whoever sits at `seat`, from the table as it was then. */
export function nameAt(names: readonly (Named | undefined)[], seat: number, words: Words): Piece {
  const named = names[seat];
  if (!named) return words.text('app.seat.number', { seat: seat + 1 });
  return { name: personOf(named, words) };
}

/** A person's own name; a computer's in the reader's language. */
export function personOf(named: Named, words: Words): string {
  const computer = named.kind === 'computer' ? /^computer-(\d+)$/.exec(named.name) : null;
  return computer ? words.text('app.computer', { number: Number(computer[1]) }) : named.name;
}

/** "the seven of hearts". */
export function cardName(card: string, words: Words): string {
  return sayCard('card.name', card, words);
}

/** "hearts". */
export function suitName(suit: string, words: Words): string {
  return words.text(`card.suit.${suit}` as Key);
}

function sayCard(key: 'card.name' | 'card.onto', card: string, words: Words): string {
  const rank = card.slice(0, 1);
  const suit = card.slice(1);
  return words.text(key, {
    rank: words.text(`card.rank.${rank}` as Key),
    rankOf: words.text(`card.rank.${rank}.of` as Key),
    suit: suitName(suit, words),
    suitOf: words.text(`card.suit.${suit}.of` as Key),
  });
}

/** Say a batch: one sentence for each thing that people should know happened, in order. */
export function sentencesOf(events: readonly Event[], before: Table, words: Words): Sentence[] {
  const said: Sentence[] = [];
  // Who left during a game is freed at its end by another `left`: that was told when they went.
  const over = events.some(({ type }) => type === 'ended');
  let table = before;
  events.forEach((event, index) => {
    const after = fold(table, event);
    // Who came is named as they are now; whoever left or was renamed, as they were.
    const names = event.type === 'seated' ? after.names : table.names;
    const next = events[index + 1];
    const captured = next?.type === 'captured' ? next : null;
    if (event.type === 'settings') said.push(...changesOf(table.settings, event.settings, words));
    const sentence = over && event.type === 'left' ? null : sentenceOf(event, captured, names, words);
    if (sentence) said.push(sentence);
    table = after;
  });
  return said;
}

function sentenceOf(
  event: Event,
  captured: Captured | null,
  names: Table['names'],
  words: Words,
): Sentence | null {
  const name = 'seat' in event && event.seat !== null ? nameAt(names, event.seat, words) : '';
  switch (event.type) {
    case 'revealed':
      return revealed(event, captured, name, words);
    case 'reshuffled':
      return words.counted('event.reshuffled', event.cards, { name });
    case 'out':
      return words.pieces('event.out', { name });
    case 'ended':
      return ended(event, names, words);
    case 'dealt': {
      const values = { game: event.game, cards: event.stacks[0] ?? 0 };
      return event.spares.length === 0
        ? words.pieces('event.dealt.none', values)
        : words.counted('event.dealt', event.spares.length, values);
    }
    case 'seated':
      return words.pieces('event.seated', { name });
    case 'moved':
      return words.pieces('event.moved');
    case 'left':
      return words.pieces(`event.left.${event.why}`, { name });
    case 'renamed':
      return words.pieces('event.renamed', { name, newName: { name: event.name } });
    case 'host':
      return words.pieces('event.host', { name });
    case 'muted':
      return words.pieces(event.on ? 'event.muted.on' : 'event.muted.off', { name });
    case 'away':
      return words.pieces('event.away', { name });
    case 'back':
      return words.pieces('event.back', { name });
    case 'ready':
      return words.pieces('event.ready', { name });
    case 'paused':
      return words.pieces(event.on ? 'event.paused.on' : 'event.paused.off');
    case 'hurried':
      if (event.on) return words.pieces('event.hurried');
      return event.seats.length > 0
        ? words.pieces('event.hurried.wish', {
            names: words.list(event.seats.map((seat) => nameAt(names, seat, words))),
          })
        : words.pieces('event.hurried.off');
    default:
      // `captured` is told with its reveal; the rest is not for the log of play.
      return null;
  }
}

function revealed(event: Revealed, captured: Captured | null, name: Piece, words: Words): Sentence {
  const who = event.by === 'table' || event.by === 'host' ? event.by : 'self';
  const card = cardName(event.card, words);
  if (event.on === null) return words.pieces(`event.revealed.${who}.empty`, { name, card });
  const values = {
    name,
    card,
    on: sayCard('card.onto', event.on, words),
    suit: suitName(event.card.slice(1), words),
    onSuit: words.text(`card.suit.${event.on.slice(1)}.of` as Key),
  };
  if (!event.matched) return words.pieces(`event.revealed.${who}.miss`, values);
  return words.pieces(`event.revealed.${who}.match`, { ...values, count: captured?.cards ?? 0 });
}

/** Say how a game ended: who won and how, or that nobody did. */
export function ended(
  event: Pick<Ended, 'reason' | 'winners' | 'held'>,
  names: Table['names'],
  words: Words,
): Sentence {
  const winners = event.winners.map((seat) => nameAt(names, seat, words));
  const [winner = ''] = winners;
  if (event.reason === 'stopped') return words.pieces('event.ended.stopped');
  if (event.reason === 'last_seat') return words.pieces('event.ended.last_seat', { name: winner });
  const count = event.held[event.winners[0] ?? 0] ?? 0;
  return winners.length > 1
    ? words.pieces('event.ended.cap.shared', { names: words.list(winners), count })
    : words.pieces('event.ended.cap', { name: winner, count });
}
