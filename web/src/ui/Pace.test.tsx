import type { Signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../protocol';
import { batchOf, playing, revealed, seatOf, settings } from '../test/builders';
import { type Shown, show } from '../test/render';
import { Screen } from './Screen';

async function screen(snapshot: Snapshot): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshot);
  await page.drawn();
  return page;
}
const three = [seatOf(0, 'Asha'), seatOf(1, 'Bela'), seatOf(2, 'Chitra')];
const stacks = { stacks: [9, 9, 9], collected: [0, 0, 0], out: [false, false, false] };

describe('pause', () => {
  const alone = { ...settings, kind: 'computers', computers: 1, seats: 2 } as const;
  const seats = [seatOf(0, 'Asha'), seatOf(1, 'computer-1', { kind: 'computer' })];

  it('is at a computer table, both ways', async () => {
    const page = await screen(playing({}, { settings: alone, seats }));
    page.get('pause').click();
    expect(page.command).toHaveBeenCalledWith('pause', { on: true });
    page.app.store.ears.events(batchOf(6, { type: 'paused', on: true }));
    await page.drawn();
    expect(page.text('pause')).toBe('Go on');
    page.get('pause').click();
    expect(page.command).toHaveBeenCalledWith('pause', { on: false });
  });

  it('is nowhere else', async () => {
    expect((await screen(playing())).find('pause')).toBeNull();
  });
});

describe('hurry', () => {
  it('stands by the stack once anybody wishes it, with how many agree', async () => {
    const page = await screen(playing(stacks, { seats: three }));
    expect(page.find('hurry-short')).toBeNull();
    page.app.store.ears.events(batchOf(6, { type: 'hurried', seats: [2], on: false }));
    await page.drawn();
    expect(page.text('hurry-short')).toBe('Hurry 1/3');
    page.get('hurry-short').click();
    expect(page.command).toHaveBeenCalledWith('hurry', { on: true });
    page.app.store.ears.events(batchOf(7, { type: 'hurried', seats: [0, 2], on: false }));
    await page.drawn();
    expect(page.get('hurry-short').getAttribute('aria-pressed')).toBe('true');
    page.get('hurry-short').click();
    expect(page.command).toHaveBeenLastCalledWith('hurry', { on: false });
  });

  it('counts those who are here alone', async () => {
    const seats = [three[0], three[1], seatOf(2, 'Chitra', { present: false, away: true })].flatMap(
      (s) => s ?? [],
    );
    const page = await screen(playing(stacks, { seats, hurried: { seats: [1, 2], on: false } }));
    expect(page.text('hurry-short')).toBe('Hurry 1/2');
  });
});

describe('somebody who is there and lets their turn stand', () => {
  const turnOf = (seat: number, more: Partial<Snapshot> = {}) =>
    playing({ ...stacks, turn: seat, n: 4 }, { seats: three, serverTime: 1_000_000, ...more });

  async function later(page: Shown, ms: number): Promise<void> {
    const { store, clock } = page.app;
    (clock as Signal<number>).value = 1_000_000 - store.skew.value + ms;
    await page.drawn();
  }

  it('has a card turned by the host after a minute, once for each reveal', async () => {
    const page = await screen(turnOf(1));
    await later(page, 59_000);
    expect(page.find('turn-for')).toBeNull();
    await later(page, 60_000);
    expect(page.text('turn-for')).toBe('Turn one card for Bela');
    page.get('turn-for').click();
    await page.drawn();
    expect(page.command).toHaveBeenCalledWith('turn', { n: 5 });
    expect((page.get('turn-for') as HTMLButtonElement).disabled).toBe(true);
    page.app.store.ears.events({ ...batchOf(6, revealed(5, 1, '7H', 'KD')), at: 1_060_000 });
    await page.drawn();
    expect(page.find('turn-for')).toBeNull();
  });

  it('has it offered again at the same number of the next game', async () => {
    const page = await screen(turnOf(1));
    await later(page, 60_000);
    page.get('turn-for').click();
    await page.drawn();
    page.app.store.ears.snapshot(
      playing({ ...stacks, game: 2, turn: 1, n: 4 }, { seats: three, serverTime: 1_000_000 }),
    );
    await later(page, 60_000);
    expect((page.get('turn-for') as HTMLButtonElement).disabled).toBe(false);
  });

  it('may be tried again when the server says it is too early', async () => {
    const page = await screen(turnOf(1));
    await later(page, 60_000);
    page.command.mockResolvedValueOnce({ ok: false, code: 'not_your_turn', message: '' });
    page.get('turn-for').click();
    await page.drawn();
    expect((page.get('turn-for') as HTMLButtonElement).disabled).toBe(false);
  });

  it('is nobody else’s to turn for, nor the host’s where the table turns by itself', async () => {
    for (const snapshot of [
      turnOf(0),
      turnOf(1, { you: { seat: 2, host: false, watching: false } }),
      turnOf(1, {
        seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela', { away: true, present: false }), seatOf(2, 'C')],
      }),
      turnOf(1, {
        seats: [seatOf(0, 'Asha'), seatOf(1, 'computer-1', { kind: 'computer' }), seatOf(2, 'C')],
      }),
    ]) {
      const page = await screen(snapshot);
      await later(page, 100_000);
      expect(page.find('turn-for')).toBeNull();
    }
  });
});
