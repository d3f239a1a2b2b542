import { describe, expect, it } from 'vitest';
import type { Event, Snapshot } from '../protocol';
import { english, gameOf, seatOf, settings, snapshotOf, tableOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { plain } from '../words';
import { howItEnded } from './GameOver';
import { refusalText } from './Refused';
import { Screen } from './Screen';

const over = (more: Partial<Snapshot> = {}): Snapshot =>
  snapshotOf({ phase: 'over', game: gameOf({ turn: null, n: 200, winners: [1], held: [0, 51] }), ...more });

async function shown(snapshot: Snapshot): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshot);
  await page.drawn();
  return page;
}

describe('the game’s end', () => {
  it('says who won and how, with everybody’s cards, most first', async () => {
    const page = await shown(over());
    expect(page.get('winner').dataset.value).toBe('1');
    expect(page.text('winner')).toMatch(/^Bela wins/);
    const held = [...page.root.querySelectorAll('.held li')].map((row) => row.textContent);
    expect(held).toEqual(['Bela51 cards', 'Asha0 cards']);
    const link = page.root.querySelector('a[download]');
    expect(link?.getAttribute('href')).toBe('/api/tables/7ygvhbvchejm/log?game=1');
  });

  it('is one tap from another game, and says who is waited for', async () => {
    const page = await shown(
      over({ seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela'), seatOf(2, 'Chand')], ready: [0, 2] }),
    );
    expect(page.text('ready')).toBe('You are ready. Waiting for Bela.');
    page.get('again').click();
    expect(page.actions.again).toHaveBeenCalled();
  });

  it('waits for nobody at a computer table', async () => {
    const page = await shown(over({ settings: { ...settings, kind: 'computers', seats: 2, computers: 1 } }));
    expect(page.find('ready')).toBeNull();
    expect(page.find('invite-link')).toBeNull();
  });

  it('offers a watcher a free seat', async () => {
    const page = await shown(over({ you: { seat: null, host: false, watching: true } }));
    expect(page.find('sit')).not.toBeNull();
    expect(page.find('again')).toBeNull();
  });

  it('knows how it ended also after a reload', () => {
    const ended: Event = { type: 'ended', reason: 'cap', winners: [1], held: [0, 51], seed: 's' };
    expect(howItEnded(gameOf({ winners: [1], last: [ended] }))).toBe('cap');
    expect(howItEnded(gameOf({ winners: [] }))).toBe('stopped');
    expect(howItEnded(gameOf({ winners: [1], n: 5000 }))).toBe('cap');
    expect(howItEnded(gameOf({ winners: [1], n: 12 }))).toBe('last_seat');
  });
});

describe('a refusal', () => {
  const say = (code: Parameters<typeof refusalText>[0]['code'], seats: number[] = []): string =>
    plain(refusalText({ code, seats }, tableOf(), english));

  it('names whom it is about', () => {
    expect(say('not_ready', [1])).toBe('Not ready yet: Bela.');
    expect(say('not_ready')).toBe('Not everybody is ready yet.');
  });

  it('is said also when this app does not know it', () => {
    expect(say('from_the_future' as 'full')).toBe('The table refused that.');
    expect(say('no_answer')).toMatch(/did not answer/);
  });
});
