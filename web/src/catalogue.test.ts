import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import bn from '../../server/locale/bn.json';
import en from '../../server/locale/en.json';

const ours = (all: object): string[] =>
  Object.keys(all).filter((key) => /^(app|card|event|phrase|reason)\./.test(key));
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|^test\//.test(file))
  .map((file) => readFileSync(`src/${file}`, 'utf8'))
  .join('\n');
const slots = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot ?? '').sort();
const same = (a: string, b: string): boolean =>
  new Set(slots(a)).size === new Set([...slots(a), ...slots(b)]).size;

describe('the catalogue', () => {
  it('has the same keys in both languages, none of them empty', () => {
    expect(ours(bn)).toEqual(ours(en));
    for (const text of [...Object.values(en), ...Object.values(bn)]) expect(text).not.toBe('');
  });

  it('has nothing that the app does not say', () => {
    // A key stands in the sources whole, or as the stem of a template that chooses its ending.
    const stems = [...sources.matchAll(/`([a-z_.]+)\$\{/g)].map(([, stem]) => stem ?? '');
    const stale = ours(en).filter((key) => {
      const base = key.replace(/\.(one|other)$/, '');
      const said = [key, base].some((name) => sources.includes(`'${name}'`));
      return !said && !stems.some((stem) => stem !== '' && key.startsWith(stem));
    });
    expect(stale).toEqual([]);
  });

  it('fills the same slots in both languages, card names aside', () => {
    const differing = ours(en)
      .filter((key) => !key.startsWith('card.'))
      .filter((key) => {
        const [a, b] = [en[key as keyof typeof en], bn[key as keyof typeof bn]];
        return !same(a, b) || !same(b, a);
      });
    expect(differing).toEqual([]);
  });

  it('writes Bengali numbers in Bengali digits', () => {
    for (const key of ours(bn)) expect(bn[key as keyof typeof bn]).not.toMatch(/[0-9]/);
  });
});
