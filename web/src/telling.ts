// What of the talk is told to those who listen or look elsewhere: a new line, being muted, being waited for.
// Lines wait behind every sentence of play; nothing is told of a hidden person, of oneself, or of history.

import { effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { Announcer } from './announcer';
import { comingOf } from './fold';
import type { Said } from './protocol';
import { nameAt } from './sentences';
import type { Store } from './store';
import type { Talk } from './talk';
import { plain, type Sentence, type Words } from './words';

/** Two short shakes, where the phone can. */
export const NUDGE_SHAKE = [120, 80, 120];

/** Say what a line says, in the reader's language: a phrase or a reaction is a word of theirs. */
export function lineText(line: Said, words: Words): string {
  if (line.text !== undefined) return line.text;
  // A newer server may have a phrase that this app has no words for.
  return words.has(`phrase.${line.phrase}`) ? words.text(`phrase.${line.phrase ?? 'hello'}`) : '…';
}

/** Whether the person here is waited for, because somebody nudged them at this very turn. */
export function isWaitedFor(store: Store): boolean {
  const table = store.table.value;
  const { game } = table ?? {};
  const nudged = store.nudged.value;
  return (
    !!game &&
    !!nudged &&
    game.turn !== null &&
    game.turn === table?.you.seat &&
    comingOf(game) === nudged.coming
  );
}

/** Say to the person here that they are waited for. */
export function nudgeSentence(store: Store, words: Words): Sentence {
  const table = store.table.value;
  return words.pieces('app.nudged', { name: nameAt(table?.names ?? [], table?.you.seat ?? 0, words) });
}

/** Tell, from now on. `shake` moves the phone. */
export function tellTalk(
  store: Store,
  talk: Talk,
  words: ReadonlySignal<Words>,
  announcer: Announcer,
  shake: (pattern: number[]) => void,
): void {
  store.onChange((entry) => {
    const you = entry?.before.you.seat ?? null;
    const say = words.peek();
    for (const event of entry?.events ?? []) {
      if (event.type === 'said' && event.seat !== you && !talk.hiding.hides(event.name)) {
        const text = lineText(event, say);
        announcer.line(plain(say.pieces('app.chat.said', { name: { name: event.name }, text })));
      } else if (event.type === 'muted' && event.seat === you) {
        announcer.say(say.text(event.on ? 'app.chat.muted' : 'app.chat.unmuted'));
      }
    }
  });
  effect(() => {
    if (!store.nudged.value) return;
    // Once for a nudge, whatever happens at the table after it.
    untracked(() => {
      if (!isWaitedFor(store)) return;
      announcer.interrupt(plain(nudgeSentence(store, words.value)));
      shake(NUDGE_SHAKE);
    });
  });
}
