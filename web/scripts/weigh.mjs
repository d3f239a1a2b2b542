// Fail the build when the script needed before the first tap is heavier than the table may be (kB, gzipped).
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LIMIT = 45_000;
const manifest = JSON.parse(readFileSync('dist/manifest.json', 'utf8'));
const size = (file) => gzipSync(readFileSync(`dist/${file}`)).length;

const first = new Set();
const take = (key) => {
  const chunk = manifest[key];
  if (first.has(chunk.file)) return;
  first.add(chunk.file);
  for (const next of chunk.imports ?? []) take(next);
};
take('index.html');
// One catalogue is needed before anything can be said: count the heavier.
const words = Object.values(manifest).filter((chunk) => /locale\//.test(chunk.src ?? ''));
const heaviest = Math.max(0, ...words.map((chunk) => size(chunk.file)));

const total = [...first].reduce((sum, file) => sum + size(file), heaviest);
console.log(`first load: ${total} bytes of script, gzipped (limit ${LIMIT})`);
if (words.length < 2 || total > LIMIT) {
  console.error('the first load is too heavy, or a catalogue is missing from the build');
  process.exit(1);
}
