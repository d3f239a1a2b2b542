import { beforeAll, describe, expect, it } from 'vitest';
import type { Snapshot } from '../protocol';
import { batchOf, playing, seatOf, settings, snapshotOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { Screen } from './Screen';

const guest = { you: { seat: 1, host: false, watching: false } };

beforeAll(async () => {
  // Loaded once, so that no test waits for it.
  await import('./DialogBody');
});

async function screen(snapshot: Snapshot): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshot);
  await page.drawn();
  return page;
}

async function tap(page: Shown, ...names: string[]): Promise<void> {
  for (const name of names) {
    page.get(name).click();
    await page.drawn();
    await page.drawn();
  }
}

async function choose(page: Shown, name: string, value: string): Promise<void> {
  const select = page.get(name) as HTMLSelectElement;
  select.value = value;
  select.dispatchEvent(new Event('change', { bubbles: true }));
  await page.drawn();
}

const isOpen = (page: Shown): boolean => (page.get('dialog') as HTMLDialogElement).open;

describe('the table’s menu', () => {
  it('opens over the table and closes again', async () => {
    const page = await screen(playing());
    expect(isOpen(page)).toBe(false);
    await tap(page, 'menu');
    expect(isOpen(page)).toBe(true);
    expect(page.root.querySelector('#dialog-title')?.textContent).toBe('This table');
    await tap(page, 'dialog-close');
    expect(isOpen(page)).toBe(false);
    expect(page.app.dialog.value).toBeNull();
  });

  it('shows nobody but the host what is the host’s', async () => {
    const page = await screen(playing({}, guest));
    await tap(page, 'menu');
    expect(page.find('leave')).not.toBeNull();
    for (const name of ['lock', 'stop', 'delete', 'settings', 'about-0']) expect(page.find(name)).toBeNull();
    expect(page.find('person-0')).toBeNull();
  });

  it('offers a watcher nothing but the link', async () => {
    const page = await screen(playing({}, { you: { seat: null, host: false, watching: true } }));
    await tap(page, 'menu');
    expect(page.find('invite-link')).not.toBeNull();
    for (const name of ['move', 'leave', 'hurry', 'lock']) expect(page.find(name)).toBeNull();
  });

  it('asks once before what cannot be undone', async () => {
    const page = await screen(playing());
    await tap(page, 'menu', 'delete');
    expect(page.command).not.toHaveBeenCalled();
    expect(document.activeElement).toBe(page.get('delete-no'));
    await tap(page, 'delete-no');
    expect(document.activeElement).toBe(page.get('delete'));
    await tap(page, 'delete', 'delete-yes');
    expect(page.command).toHaveBeenCalledWith('delete', {});
    await tap(page, 'stop', 'stop-yes');
    expect(page.command).toHaveBeenCalledWith('stop', {});
    expect(isOpen(page)).toBe(false);
  });

  it('locks, and says a refusal where it was asked', async () => {
    const page = await screen(snapshotOf());
    await tap(page, 'menu');
    page.command.mockResolvedValueOnce({ ok: false, code: 'not_host', message: '' });
    await tap(page, 'lock');
    expect(page.command).toHaveBeenCalledWith('lock', { on: true });
    expect((page.get('lock') as HTMLInputElement).checked).toBe(false);
    expect(page.get('dialog').textContent).toContain('Only the host can do that.');
    page.app.store.ears.events(batchOf(6, { type: 'settings', settings: { ...settings, locked: true } }));
    await page.drawn();
    expect((page.get('lock') as HTMLInputElement).checked).toBe(true);
  });
});

describe('what the host can do about a person', () => {
  it('is at that person’s seat, in the lobby and at the table', async () => {
    const lobby = await screen(snapshotOf({ seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela')] }));
    expect(lobby.get('person-1').getAttribute('aria-label')).toBe('Options for Bela');
    expect(lobby.find('person-0')).toBeNull();
    const page = await screen(playing());
    await tap(page, 'person-1', 'mute');
    expect(page.command).toHaveBeenCalledWith('mute', { seat: 1, on: true });
    page.app.store.ears.events(batchOf(6, { type: 'muted', seat: 1, on: true }));
    await page.drawn();
    expect(page.text('mute')).toBe('Let Bela write again');
    await tap(page, 'mute');
    expect(page.command).toHaveBeenCalledWith('mute', { seat: 1, on: false });
  });

  it('removes and hands over after asking', async () => {
    const page = await screen(playing());
    await tap(page, 'person-1', 'remove', 'remove-yes');
    expect(page.command).toHaveBeenCalledWith('remove', { seat: 1 });
    expect(isOpen(page)).toBe(false);
    await tap(page, 'person-1', 'hand', 'hand-yes');
    expect(page.command).toHaveBeenCalledWith('host', { seat: 1 });
  });

  it('asks anew when another has taken that seat', async () => {
    const page = await screen(snapshotOf());
    await tap(page, 'person-1', 'remove');
    page.app.store.ears.events(batchOf(6, { type: 'left', seat: 1, why: 'left' }));
    page.app.store.ears.events(batchOf(7, { type: 'seated', seat: 1, name: 'Chitra', kind: 'person' }));
    await page.drawn();
    expect(page.find('remove-yes')).toBeNull();
  });

  it('is gone with the host’s office, and hands nothing to who is not there', async () => {
    const page = await screen(
      playing({}, { seats: [seatOf(0, 'Asha'), seatOf(1, 'Bela', { present: false })] }),
    );
    await tap(page, 'person-1');
    expect(page.find('hand')).toBeNull();
    expect(page.find('remove')).not.toBeNull();
    page.app.store.ears.events(batchOf(6, { type: 'host', seat: 1 }));
    await page.drawn();
    await page.drawn();
    expect(isOpen(page)).toBe(false);
  });
});

describe('the settings', () => {
  it('are sent one by one as they change, and shown as the server has them', async () => {
    const page = await screen(snapshotOf());
    await tap(page, 'settings');
    await choose(page, 'set-seats', '6');
    expect(page.command).toHaveBeenCalledWith('settings', { settings: { seats: 6 } });
    expect((page.get('set-seats') as HTMLSelectElement).value).toBe('4');
    page.app.store.ears.events(batchOf(6, { type: 'settings', settings: { ...settings, seats: 6 } }));
    await page.drawn();
    expect((page.get('set-seats') as HTMLSelectElement).value).toBe('6');
    await choose(page, 'set-chat', 'phrases');
    expect(page.command).toHaveBeenCalledWith('settings', { settings: { chat: 'phrases' } });
    await tap(page, 'set-watchers', 'set-locked');
    expect(page.command).toHaveBeenCalledWith('settings', { settings: { watchers: false } });
    expect(page.command).toHaveBeenCalledWith('lock', { on: true });
  });

  it('say beside the field why it will not do', async () => {
    const page = await screen(snapshotOf());
    await tap(page, 'settings');
    page.command.mockResolvedValueOnce({ ok: false, code: 'bad_settings', message: '', field: 'seats' });
    await choose(page, 'set-deck', 'leftovers');
    await page.drawn();
    const field = page.get('set-seats').closest('.field');
    expect(field?.textContent).toContain('Somebody sits there, or there are too few cards');
    expect(page.get('set-deck').closest('.field')?.textContent).not.toContain('Somebody');
    page.command.mockResolvedValueOnce({ ok: false, code: 'bad_settings', message: '', field: 'watchers' });
    await tap(page, 'set-watchers');
    const watchers = page.get('set-watchers').closest('.field');
    expect(watchers?.textContent).toContain('Only the person who made this table may let others watch.');
  });

  it('of a computer table are its pace alone', async () => {
    const alone = { ...settings, kind: 'computers', computers: 1, seats: 2 } as const;
    const page = await screen(snapshotOf({ settings: alone }));
    await tap(page, 'settings');
    expect(page.find('set-seats')).toBeNull();
    await choose(page, 'set-pace', '2');
    expect(page.command).toHaveBeenCalledWith('settings', { settings: { pace: 2 } });
  });
});

describe('a seat on its way', () => {
  const url = 'https://play.example/t/7ygvhbvchejm#seat=abcdefghijklmnopqrstuv';

  it('gets a link to scan and to share, for two minutes', async () => {
    const page = await screen(playing({}, guest));
    page.command.mockResolvedValue({ ok: true, url });
    await tap(page, 'menu', 'move');
    expect(page.command).toHaveBeenCalledWith('move', {});
    expect((page.get('move-link') as HTMLInputElement).value).toBe(url);
    expect(page.get('move-qr').querySelector('path')?.getAttribute('d')).toMatch(/^M2 2h1v1h-1z/);
    expect(page.get('move-left').dataset.value).toBe('120');
  });

  it('says a refusal, and offers another link', async () => {
    const page = await screen(playing({}, guest));
    page.command.mockResolvedValue({ ok: false, code: 'too_fast', message: '' });
    await tap(page, 'menu', 'move');
    expect(page.get('dialog').textContent).toContain('That was too fast.');
    page.command.mockResolvedValue({ ok: true, url });
    await tap(page, 'move-again');
    expect(page.find('move-link')).not.toBeNull();
  });

  it('is taken by one tap, and by none at all otherwise', async () => {
    const page = await screen(playing({}, { you: { seat: null, host: false, watching: true } }));
    page.app.dialog.value = { kind: 'claim', token: 'tok' };
    await page.drawn();
    await page.drawn();
    expect(page.command).not.toHaveBeenCalled();
    page.command.mockResolvedValueOnce({ ok: false, code: 'stale_link', message: '' });
    await tap(page, 'claim');
    expect(page.get('dialog').textContent).toContain('This link was used already, or is too old.');
    page.command.mockResolvedValueOnce({ ok: true, seat: 1 });
    await tap(page, 'claim');
    expect(page.app.store.table.value?.you).toEqual({ seat: 1, host: false, watching: false });
    expect(isOpen(page)).toBe(false);
  });

  it('is said to be gone where it was', async () => {
    const page = await screen(playing());
    page.app.store.ears.you({ seat: null, host: false, watching: true });
    await page.drawn();
    expect(page.text('moved')).toContain('Your seat moved to another device. You are watching here.');
    expect(page.find('stack')).toBeNull();
  });
});
