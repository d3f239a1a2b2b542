import { describe, expect, it } from 'vitest';
import { english, snapshotOf } from '../test/builders';
import { show } from '../test/render';
import { Connection, linkText } from './Connection';

describe('the connection in words', () => {
  it('counts the seconds until the next try', () => {
    const lost = { kind: 'lost', retryAt: 4200, code: null } as const;
    expect(linkText(lost, null, 1000, english)).toBe('Connection lost. Trying again in 4 s.');
    expect(linkText(lost, null, 5000, english)).toBe('Connection lost. Trying again…');
    expect(linkText({ ...lost, code: 'too_many' }, null, 0, english)).toMatch(/^Too many/);
  });

  it('tells how the server is, and nothing while all is well', () => {
    expect(linkText({ kind: 'live' }, null, 0, english)).toBeNull();
    expect(linkText({ kind: 'live' }, 'draining', 0, english)).toMatch(/being changed/);
    expect(linkText({ kind: 'live' }, 'store_down', 0, english)).toMatch(/write anything down/);
  });

  it('offers to try at once', async () => {
    const page = show(<Connection />);
    page.app.store.ears.link({ kind: 'lost', retryAt: 1000, code: null });
    await page.drawn();
    expect(page.get('connection').dataset.value).toBe('lost');
    page.root.querySelector('button')?.click();
    expect(page.app.reconnect).toHaveBeenCalled();
  });

  it('says when history went back', async () => {
    const page = show(<Connection />);
    page.app.store.ears.link({ kind: 'live' });
    page.app.store.ears.snapshot(snapshotOf({ seq: 9 }));
    page.app.store.ears.snapshot(snapshotOf({ seq: 3 }));
    await page.drawn();
    expect(page.text('connection')).toMatch(/go back a little/);
  });
});
