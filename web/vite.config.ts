// How the app is built, served while developing, and tested.
// The catalogue is shared with the server's pages; only what the app says is bundled into it.
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Leave the pages' strings (`page.*`) out of the app's bundle. */
function catalogue(): Plugin {
  return {
    name: 'catalogue',
    enforce: 'pre',
    transform(code, id) {
      if (!/server\/locale\/\w+\.json$/.test(id)) return null;
      const whole = JSON.parse(code) as Record<string, string>;
      const ours = Object.entries(whole).filter(([key]) => !key.startsWith('page.'));
      return { code: JSON.stringify(Object.fromEntries(ours)), map: null };
    },
  };
}

const SERVER = 'http://localhost:8000';

export default defineConfig({
  base: '/',
  plugins: [catalogue()],
  json: { stringify: true, namedExports: false },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2020',
    // The pages' policy allows no inline script, style or data of another origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
  },
  server: {
    fs: { allow: ['..'] },
    proxy: {
      '/api': SERVER,
      '^/t/[^/]+/qr\\.svg$': SERVER,
      '/socket.io': { target: SERVER, ws: true },
      // The pages are the server's; only the table is the app's.
      '^/((bn|rules|privacy)(/.*)?|static/.*)?$': SERVER,
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,tsx}'],
      exclude: ['src/main.tsx', 'src/protocol.ts', 'src/**/*.test.{ts,tsx}', 'src/test/**'],
      reporter: ['text-summary', 'text'],
      thresholds: { lines: 90 },
    },
  },
});
