// The catalogue as the app uses it: whole sentences by key, in one language, with numbers in that language's digits.
// Nothing here knows a card or an event. Invariant: a string people read comes from the catalogue, never from code.

import type english from '../../server/locale/en.json';

export type Language = 'en' | 'bn';
/** Every key the app may say; the pages' own are not in its bundle. */
export type Key = Exclude<keyof typeof english, `page.${string}`>;
export type Catalogue = Readonly<Record<Key, string>>;

/** A part of a sentence: plain text, or a person's name, which is shown isolated from the text's direction. */
export type Piece = string | { readonly name: string };
export type Sentence = readonly Piece[];
export type Values = Readonly<Record<string, Piece | Sentence | number>>;

export interface Words {
  readonly language: Language;
  /** Whether there is such a key: a newer server may speak of what this app does not know. */
  has(key: string): boolean;
  /** Say a key as plain text. */
  text(key: Key, values?: Values): string;
  /** Say a key as pieces, so that names can be set apart. */
  pieces(key: Key, values?: Values): Sentence;
  /** Say `key.one` or `key.other`, by `values.count`. */
  counted(key: CountedKey, count: number, values?: Values): Sentence;
  number(value: number): string;
  /** Say a time of day (ms), here where the reader is. */
  time(at: number): string;
  /** Join a list as the language does: "A, B and C". */
  list(items: readonly Piece[]): Sentence;
}

/** A key that has whole sentences for one and for more. */
export type CountedKey = { [K in Key]: K extends `${infer Stem}.one` ? Stem : never }[Key];

/** Make the words of one language. */
export function createWords(language: Language, catalogue: Catalogue): Words {
  // Bengali prose has Bengali digits, whatever the locale data of this browser prefers.
  const numbers = new Intl.NumberFormat(language === 'bn' ? 'bn-u-nu-beng' : 'en');
  const number = (value: number): string => numbers.format(value);
  const clock = new Intl.DateTimeFormat(language === 'bn' ? 'bn-u-nu-beng' : 'en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const pieces = (key: Key, values: Values = {}): Sentence => fill(catalogue[key], values, number);
  return {
    language,
    has: (key) => key in catalogue,
    pieces,
    text: (key, values) => plain(pieces(key, values)),
    counted: (key, count, values) =>
      pieces(`${key}.${count === 1 ? 'one' : 'other'}` as Key, { count, ...values }),
    number,
    time: (at) => clock.format(at),
    list: (items) => {
      const parts = new Intl.ListFormat(language === 'bn' ? 'bn' : 'en-GB').formatToParts(
        items.map((_, index) => String(index)),
      );
      return parts.map((part) => (part.type === 'element' ? (items[Number(part.value)] ?? '') : part.value));
    },
  };
}

/** Read a sentence as plain text, for speech, titles and tests. */
export function plain(sentence: Sentence): string {
  return sentence.map((piece) => (typeof piece === 'string' ? piece : piece.name)).join('');
}

/** The language to begin with: the one chosen here before, else the browser's. */
export function firstLanguage(chosen: string | null, browser: string): Language {
  if (chosen === 'en' || chosen === 'bn') return chosen;
  return browser.toLowerCase().startsWith('bn') ? 'bn' : 'en';
}

/** Fetch one language's catalogue; only the one in use is loaded. */
export async function loadWords(language: Language): Promise<Words> {
  const file =
    language === 'bn'
      ? await import('../../server/locale/bn.json')
      : await import('../../server/locale/en.json');
  return createWords(language, file.default as Catalogue);
}

function fill(template: string, values: Values, number: (value: number) => string): Sentence {
  const sentence: Piece[] = [];
  template.split(/\{(\w+)\}/).forEach((part, index) => {
    if (index % 2 === 0) {
      if (part !== '') sentence.push(part);
      return;
    }
    const value = values[part];
    if (value === undefined) sentence.push(`{${part}}`);
    else if (typeof value === 'number') sentence.push(number(value));
    else if (Array.isArray(value)) sentence.push(...(value as Sentence));
    else sentence.push(value as Piece);
  });
  return sentence;
}
