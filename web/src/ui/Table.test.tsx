import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../protocol';
import { batchOf, playing, revealed, seatOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { Screen } from './Screen';
import { seatsAround } from './Table';

async function table(snapshot: Snapshot): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshot);
  await page.drawn();
  return page;
}
const watcher = { you: { seat: null, host: false, watching: true } };

describe('the table', () => {
  it('seats the others in turn order after you', () => {
    expect(seatsAround(4, 1)).toEqual([2, 3, 0]);
    expect(seatsAround(3, null)).toEqual([0, 1, 2]);
    expect(seatsAround(2, 5)).toEqual([0, 1]);
  });

  it('shows pile, counts, whose turn, and the suit that would match', async () => {
    const page = await table(playing({ n: 1234, collected: [3, 4] }));
    expect(page.text('reveal-count')).toBe('Reveal 1,234 of 5,000');
    expect(page.get('pile').dataset.top).toBe('KD');
    expect(page.text('pile-size')).toBe('1');
    expect(page.text('match')).toBe('diamonds would match');
    expect(page.root.querySelector('.pile-wants svg')).not.toBeNull();
    expect([page.text('stack-count-0'), page.text('stack-count-1')]).toEqual(['26', '25']);
    expect([page.text('collected-count-0'), page.text('collected-count-1')]).toEqual(['3', '4']);
    expect(page.text('turn')).toBe('Your turn');
    expect(page.get('seat-1').tagName).toBe('LI');
  });

  it('says that an empty pile matches nothing, and that there is one more card', async () => {
    const page = await table(playing({ pile: { size: 0, top: null }, again: true }));
    expect(page.text('pile')).toContain('the next card cannot match');
    expect(page.text('turn')).toBe('Your turn again: one more card');
    expect(page.text('stack')).toContain('Turn one more card');
  });

  it('says one sentence after every reveal, and keeps the rest for the log', async () => {
    const page = await table(playing());
    page.app.store.ears.events(
      batchOf(6, { type: 'reshuffled', seat: 0, cards: 9, shuffle: 1 }, revealed(1, 0, '7H', 'KD')),
    );
    await page.drawn();
    expect(page.text('sentence')).toBe(
      'Asha turned the seven of hearts onto the king of diamonds: hearts on diamonds, no match.',
    );
    expect(page.text('log')).toMatch(/^Asha has no stack left/);
  });

  it('marks who is out, away or not there', async () => {
    const seats = [
      seatOf(0, 'Asha', { present: false }),
      seatOf(1, 'Bela', { present: false, away: true }),
      seatOf(2, 'computer-1', { kind: 'computer' }),
    ];
    const page = await table(
      playing({ stacks: [9, 9, 0], collected: [0, 0, 0], out: [false, false, true] }, { seats, ...watcher }),
    );
    expect(page.text('seat-0')).toMatch(/turn.*not here/);
    expect(page.text('seat-1')).toContain('away');
    expect(page.text('seat-2')).toMatch(/Computer 1.*out/);
    expect(page.find('stack')).toBeNull();
    expect(page.text('reason')).toBe('You are watching this game.');
  });
});

describe('the stack', () => {
  it('turns a card on your turn', async () => {
    const page = await table(playing());
    expect(page.get('stack').getAttribute('aria-disabled')).toBe('false');
    page.get('stack').click();
    expect(page.actions.reveal).toHaveBeenCalledTimes(1);
    expect(page.text('reason')).toBe('');
  });

  it('says at once why it will not, on the page and to who listens', async () => {
    const page = await table(playing({ turn: 1 }));
    expect(page.text('reason')).toBe('It is not your turn: it is Bela’s.');
    page.get('stack').click();
    await page.drawn();
    expect(page.actions.reveal).not.toHaveBeenCalled();
    expect(page.announced).toEqual(['It is not your turn: it is Bela’s.']);
    expect(page.get('reason').className).toContain('reason-asked');
  });

  it('says that the connection is lost', async () => {
    const page = await table(playing());
    page.app.store.ears.link({ kind: 'lost', retryAt: 0, code: null });
    await page.drawn();
    expect(page.get('reason').dataset.value).toBe('connection');
  });

  it('shows an empty place when there is no card left', async () => {
    const page = await table(playing({ stacks: [0, 20], out: [true, false], turn: 1 }));
    expect(page.get('stack').querySelector('.card-none')).not.toBeNull();
    expect(page.text('reason')).toBe('You are out. The others play on.');
  });
});

describe('auto-reveal', () => {
  it('is a switch of yours, off by default', async () => {
    const page = await table(playing());
    const box = page.get('auto') as HTMLInputElement;
    expect(box.checked).toBe(false);
    box.click();
    expect(page.actions.auto).toHaveBeenCalledWith(true);
  });

  it('is offered back after the connection turned it off', async () => {
    const page = await table(playing());
    page.app.store.auto.value = 'dropped';
    await page.drawn();
    page.get('auto-again').click();
    expect(page.actions.auto).toHaveBeenCalledWith(true);
  });
});
