// What changed about a table's settings, one sentence for each. Pure; nothing here knows who asked for it.

import type { Settings } from './protocol';
import type { Sentence, Words } from './words';

/** The name of a computer table's pace. */
export function paceName(pace: number): 'slow' | 'normal' | 'fast' {
  if (pace < 1) return 'slow';
  return pace > 1 ? 'fast' : 'normal';
}

const onOff = (on: boolean): 'on' | 'off' => (on ? 'on' : 'off');

/** Say how the settings differ, in the order in which the form has them. */
export function changesOf(before: Settings, after: Settings, words: Words): Sentence[] {
  const said: Sentence[] = [];
  if (after.locked !== before.locked) said.push(words.pieces(`event.settings.locked.${onOff(after.locked)}`));
  if (after.seats !== before.seats) said.push(words.pieces('event.settings.seats', { count: after.seats }));
  if (after.deck !== before.deck) said.push(words.pieces(`event.settings.deck.${after.deck}`));
  if (after.length !== before.length) said.push(words.pieces(`event.settings.length.${after.length}`));
  if (after.chat !== before.chat) said.push(words.pieces(`event.settings.chat.${after.chat}`));
  if (after.watchers !== before.watchers)
    said.push(words.pieces(`event.settings.watchers.${onOff(after.watchers)}`));
  if (after.voice !== before.voice) said.push(words.pieces(`event.settings.voice.${onOff(after.voice)}`));
  if (after.pace !== before.pace) said.push(words.pieces(`event.settings.pace.${paceName(after.pace)}`));
  return said;
}
