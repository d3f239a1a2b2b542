// What holds of the package as a whole: who may import whom, how long a file may be, what the lock may hold.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(ts|tsx|css)$/.test(file) && file !== 'protocol.ts',
);
const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\.test\.|^test\//.test(file));
const text = (file: string): string => readFileSync(`src/${file}`, 'utf8');

/** protocol <- fold <- store <- ui; a file may import from its own rank or a lower one. */
const RANKS: [RegExp, number][] = [
  [/^(protocol|words|announcer|graphemes)\./, 0],
  [/^(fold|chat|connection)\./, 1],
  [/^(sentences|changes|reasons)\./, 2],
  [/^(store|stage|motion|asking|actions|hiding|talk|telling)\./, 3],
  [/^app\./, 4],
  [/^ui\//, 5],
  [/^main\./, 6],
];

function rank(file: string): number {
  const found = RANKS.find(([pattern]) => pattern.test(file));
  if (!found) throw new Error(`give ${file} its place`);
  return found[1];
}

describe('the package', () => {
  it('imports only downwards', () => {
    const wrong = sources.flatMap((file) => {
      const imported = [...text(file).matchAll(/from '(\.{1,2}\/[^']+)'/g)].map(([, path]) => path ?? '');
      return imported
        .filter((path) => !path.endsWith('.json') && !path.endsWith('.css'))
        .map((path) =>
          file.startsWith('ui/') && path.startsWith('./')
            ? `ui/${path.slice(2)}`
            : path.replace(/^\.+\//, ''),
        )
        .filter((path) => rank(`${path}.`) > rank(file))
        .map((path) => `${file} imports ${path}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no file that is too long', () => {
    expect(files.filter((file) => text(file).split('\n').length > 400)).toEqual([]);
  });

  it('names colours only among the tokens', () => {
    const styles = files.filter((file) => file.endsWith('.css') && !file.endsWith('tokens.css'));
    for (const file of styles) {
      const coloured = text(file)
        .split('\n')
        .filter((line) => /#[0-9a-f]{3,8}\b|rgb\(/i.test(line));
      expect(coloured, file).toEqual([]);
    }
  });

  it('locks versions and hashes, and no address', () => {
    const lock = readFileSync('package-lock.json', 'utf8');
    expect(lock).not.toContain('://');
    const parser = JSON.parse(lock).packages['node_modules/socket.io-parser'].version as string;
    const [major = 0, minor = 0, patch = 0] = parser.split('.').map(Number);
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(4_002_007);
  });

  it('locks everything that the locked packages ask for, so that a clean install can be made', () => {
    interface Locked {
      dependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
    }
    const packages = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages as Record<string, Locked>;
    const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').pop()));
    const asked = Object.values(packages).flatMap((one) =>
      Object.keys({ ...one.dependencies, ...one.optionalDependencies }),
    );
    expect(asked.filter((name) => !locked.has(name))).toEqual([]);
  });
});
