import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../protocol';
import { batchOf, playing, revealed, seatOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { Screen } from './Screen';

async function table(snapshot: Snapshot): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshot);
  await page.drawn();
  return page;
}
async function pass(page: Shown, seconds: number): Promise<void> {
  page.clock.value += seconds * 1000;
  await page.drawn();
}

describe('the nudge', () => {
  it('is offered at the seat whose turn it is once that has lasted, and again after its while', async () => {
    const page = await table(playing({ turn: 1 }));
    await pass(page, 9);
    expect(page.find('nudge')).toBeNull();
    await pass(page, 1);
    expect(page.get('seat-1').contains(page.get('nudge'))).toBe(true);
    expect(page.get('nudge').getAttribute('aria-label')).toBe('Nudge Bela: it is their turn');
    page.get('nudge').click();
    await page.drawn();
    expect(page.ask.mock.calls.map(([command]) => command)).toEqual(['nudge']);
    expect(page.announced).toEqual(['Bela has been nudged.']);
    expect(page.text('nudge')).toBe('Nudged');
    page.get('nudge').click();
    expect(page.ask).toHaveBeenCalledTimes(1);
    await pass(page, 20);
    expect(page.text('nudge')).toBe('Nudge');
  });

  it('leaves every new turn in peace', async () => {
    const page = await table(playing({ turn: 1 }));
    await pass(page, 12);
    page.app.store.ears.events(batchOf(6, revealed(1, 1, '7H', 'KD', true)));
    await page.drawn();
    expect(page.find('nudge')).toBeNull();
  });

  it('says in words that somebody else was quicker', async () => {
    const page = await table(playing({ turn: 1 }));
    await pass(page, 10);
    page.ask.mockResolvedValueOnce({ ok: false, code: 'too_fast', message: '' });
    page.get('nudge').click();
    await page.drawn();
    expect(page.text('refusal')).toContain('Once in 20 seconds is enough');
    expect(page.text('nudge')).toBe('Nudged');
  });

  it.each([
    ['a watcher', { you: { seat: null, host: false, watching: true } }],
    ['one whose own turn it is', { you: { seat: 1, host: false, watching: false } }],
    ['a computer’s turn', { seats: [seatOf(0, 'Asha'), seatOf(1, 'computer-1', { kind: 'computer' })] }],
    ['one who is not there', { seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela', { present: false })] }],
  ])('is not for %s', async (_, more) => {
    const page = await table(playing({ turn: 1 }, more));
    await pass(page, 30);
    expect(page.find('nudge')).toBeNull();
  });

  it('stands on the nudged one’s page until their card is turned', async () => {
    const page = await table(playing());
    page.app.store.ears.notice({ code: 'nudged' });
    await page.drawn();
    expect(page.text('nudged')).toBe('Asha? Everybody is waiting for you: it is your turn.');
    expect(page.get('stack').contains(page.get('nudged'))).toBe(true);
    page.app.store.ears.events(batchOf(6, revealed(1, 0, '7H', 'KD', true)));
    await page.drawn();
    expect(page.find('nudged')).toBeNull();
  });
});
