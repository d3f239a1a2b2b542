import { beforeEach, describe, expect, it } from 'vitest';
import { batchOf, playing, revealed, snapshotOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { Screen } from './Screen';

let page: Shown;

beforeEach(() => {
  page = show(<Screen />);
});

describe('the screen', () => {
  it('says that it is connecting before there is anything to show', () => {
    expect(page.text('connection')).toBe('Connecting…');
    expect(page.root.querySelector('main')).toBeNull();
  });

  it('says why it ended, and the way on', async () => {
    for (const code of ['no_table', 'closed', 'removed', 'deleted', 'expired'] as const) {
      page.app.store.ears.link({ kind: 'ended', code });
      await page.drawn();
      expect(page.get('gone').dataset.value).toBe(code);
      expect(page.root.querySelector('main a')?.getAttribute('href')).toBe('/');
    }
    page.app.store.ears.link({ kind: 'ended', code: 'replaced' });
    await page.drawn();
    page.get('use-here').click();
    expect(page.app.reconnect).toHaveBeenCalled();
  });

  it('goes from the lobby to the table to the game’s end', async () => {
    page.app.store.ears.link({ kind: 'live' });
    page.app.store.ears.snapshot(snapshotOf());
    await page.drawn();
    expect(page.find('start')).not.toBeNull();
    page.app.store.ears.snapshot(playing());
    await page.drawn();
    expect(page.find('stack')).not.toBeNull();
    page.app.store.ears.events(
      batchOf(
        6,
        revealed(1, 0, '7H', 'KD'),
        { type: 'out', seat: 0 },
        { type: 'ended', reason: 'last_seat', winners: [1], held: [0, 25], seed: 's' },
      ),
    );
    await page.drawn();
    expect(page.text('winner')).toBe('Bela wins: nobody else has cards left.');
    expect(page.find('stack')).toBeNull();
  });

  it('changes its language in place', async () => {
    page.app.store.ears.snapshot(playing({ turn: 0 }));
    page.app.store.ears.link({ kind: 'live' });
    await page.drawn();
    expect(page.text('turn')).toBe('Your turn');
    (page.root.querySelector('header button') as HTMLElement).click();
    await page.drawn();
    expect(page.text('turn')).toBe('আপনার পালা');
    expect(page.text('pile-size')).toBe('১');
    expect(page.get('pile-size').dataset.value).toBe('1');
  });
});
