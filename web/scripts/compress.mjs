// Write a .br and a .gz beside every file of the built app that is worth it: the edge and the server send them as they are.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const WORTH = /\.(css|js|json|svg|txt|wasm|webmanifest)$/;
// The shell is filled in anew for every table.
const DIST = 'dist';

const brotli = (text) =>
  brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });

let [before, after] = [0, 0];
for (const name of readdirSync(DIST, { recursive: true })) {
  if (!WORTH.test(name)) continue;
  const file = join(DIST, name);
  const whole = readFileSync(file);
  const packed = { br: brotli(whole), gz: gzipSync(whole, { level: 9 }) };
  for (const [ending, bytes] of Object.entries(packed)) {
    if (bytes.length < whole.length) writeFileSync(`${file}.${ending}`, bytes);
  }
  before += whole.length;
  after += Math.min(whole.length, packed.br.length);
}
console.log(`compressed: ${before} bytes to ${after}`);
