import { describe, expect, it } from 'vitest';
import { seatOf, settings, snapshotOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { initial } from './Lobby';
import { Screen } from './Screen';

async function lobby(more: Parameters<typeof snapshotOf>[0] = {}): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshotOf(more));
  await page.drawn();
  return page;
}
const stranger = { you: { seat: null, host: false, watching: true } };

function type(page: Shown, name: string): void {
  const input = page.get('name') as HTMLInputElement;
  input.value = name;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

const submit = (page: Shown): boolean | undefined =>
  page.root.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }));

describe('the lobby', () => {
  it('shows who sits where, and that a name is only a name', async () => {
    const page = await lobby({ seats: [seatOf(0, '<img src=x>'), seatOf(1, 'Bela', { present: false })] });
    expect(page.get('seat-0').querySelector('bdi')?.textContent).toBe('<img src=x>');
    expect(page.text('seat-0')).toMatch(/you.*host/);
    expect(page.text('seat-1')).toMatch(/not here/);
    expect(page.text('seat-3')).toBe('Free seat');
  });

  it('lets the host start short-handed, and says what is missing', async () => {
    const page = await lobby();
    expect(page.root.textContent).toContain('2 seats are still free. You can start with 2.');
    page.get('start').click();
    expect(page.actions.start).toHaveBeenCalled();
    const alone = await lobby({ seats: [seatOf(0, 'Asha')] });
    expect(alone.get('start').getAttribute('aria-disabled')).toBe('true');
    expect(alone.root.textContent).toContain('It takes two to play.');
    const full = await lobby({ settings: { ...settings, seats: 2, locked: true, watchers: false } });
    expect(full.root.textContent).toContain('Every seat is taken.');
    expect(full.root.textContent).toContain('Locked');
  });

  it('lets a stranger sit with a name, on a seat of their choice, or watch', async () => {
    const page = await lobby(stranger);
    type(page, 'Chand');
    submit(page);
    expect(page.actions.sit).toHaveBeenLastCalledWith('Chand');
    (page.get('seat-3').querySelector('button') as HTMLElement).click();
    expect(page.actions.sit).toHaveBeenLastCalledWith('Chand', 3);
    page.get('watch').click();
    await page.drawn();
    expect(page.find('watch')).toBeNull();
    expect(page.find('sit')).not.toBeNull();
    expect(page.root.textContent).toContain('Asha starts the game');
  });

  it('says that a full table can be watched, and that a table may wait for a host', async () => {
    const page = await lobby({ ...stranger, settings: { ...settings, seats: 2 }, host: null });
    expect(page.find('sit')).toBeNull();
    expect(page.root.textContent).toContain('The table is full.');
    expect(page.root.textContent).toContain('waits for a host');
  });

  it('renames whoever sits', async () => {
    const page = await lobby();
    type(page, 'Ashalata');
    submit(page);
    expect(page.actions.rename).toHaveBeenCalledWith('Ashalata');
  });

  it('says a refusal in words', async () => {
    const page = await lobby(stranger);
    page.app.store.refusal.value = { code: 'bad_name', seats: [] };
    await page.drawn();
    expect(page.text('refusal')).toMatch(/^That name will not do/);
  });

  it('shows the first letter of a name as it is read', () => {
    expect(initial('মিতা')).toBe('মি');
    expect(initial(' asha')).toBe('A');
    expect(initial('')).toBe('');
  });
});
