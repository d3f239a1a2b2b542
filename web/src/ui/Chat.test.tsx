import { describe, expect, it, vi } from 'vitest';
import type { Snapshot } from '../protocol';
import { batchOf, playing, saidOf, seatOf, settings, snapshotOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { Screen } from './Screen';

async function chat(snapshot: Snapshot, open = true): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshot);
  page.app.talk.open.value = open;
  await page.drawn();
  // The panel is loaded after the table.
  if (page.find('chat')) await vi.waitFor(() => page.get('chat-write'));
  return page;
}
const all = (page: Shown, testid: string): HTMLElement[] => [
  ...page.root.querySelectorAll<HTMLElement>(`[data-testid="${testid}"]`),
];
const texts = (page: Shown): (string | null | undefined)[] =>
  all(page, 'chat-line').map((line) => line.querySelector('.line-text')?.textContent);
const bela = { seat: 1, name: 'Bela' };

describe('the chat', () => {
  it('is in the lobby, in play and after, in a sheet that a button opens and Escape closes', async () => {
    for (const snapshot of [snapshotOf(), playing(), playing({ turn: null, winners: [0], held: [51, 0] })]) {
      const page = await chat(snapshot, false);
      expect(page.get('chat').hidden).toBe(true);
      page.get('chat-open').click();
      await page.drawn();
      expect(page.get('chat').hidden).toBe(false);
      expect(page.get('chat-open').getAttribute('aria-expanded')).toBe('true');
      expect(document.activeElement).toBe(page.get('chat'));
      page.get('chat').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      await page.drawn();
      expect(page.get('chat').hidden).toBe(true);
      expect(document.activeElement).toBe(page.get('chat-open'));
    }
  });

  it('stands beside the table where there is room, with no button', async () => {
    const page = await chat(playing(), false);
    page.wide.value = true;
    await page.drawn();
    expect(page.get('chat').hidden).toBe(false);
    expect(page.find('chat-open')).toBeNull();
    expect(page.find('chat-close')).toBeNull();
  });

  it('is not at a computer table, where there is nobody to talk to', async () => {
    const page = await chat(snapshotOf({ settings: { ...settings, kind: 'computers' } }));
    expect([page.find('chat'), page.find('chat-open')]).toEqual([null, null]);
  });

  it('counts on its button what was not seen', async () => {
    const page = await chat(snapshotOf(), false);
    page.app.store.ears.events(batchOf(6, saidOf('a', { ...bela, at: 2000 })));
    await page.drawn();
    expect(page.get('chat-open').dataset.value).toBe('1');
    expect(page.get('chat-open').textContent).toContain('1 new line');
    page.get('chat-open').click();
    await page.drawn();
    expect(page.get('chat-open').dataset.value).toBe('0');
  });

  it('leads back to the table when it is one’s turn', async () => {
    const page = await chat(playing());
    (page.get('chat').querySelector('.chat-top button.main') as HTMLElement).click();
    await page.drawn();
    expect(page.get('chat').hidden).toBe(true);
  });

  it('keeps a draft when the game begins', async () => {
    const page = await chat(snapshotOf());
    page.app.talk.draft.value = 'half a';
    page.app.store.ears.snapshot(playing());
    await page.drawn();
    expect((page.get('chat-text') as HTMLInputElement).value).toBe('half a');
  });
});

describe('the lines', () => {
  it('are a list that is not live, with names and texts set apart, as text alone', async () => {
    const text = '<img src=x onerror=alert(1)> https://example.org';
    const page = await chat(
      snapshotOf({ said: [saidOf('a', { text }), saidOf('b', { ...bela, text: 'র‍্যাপ 👨‍👩‍👧' })] }),
    );
    expect(page.text('chat-lines')).toContain(text);
    expect(page.get('chat-lines').tagName).toBe('OL');
    expect(page.get('chat-lines').closest('[aria-live], [role="log"], [role="status"]')).toBeNull();
    expect(page.get('chat-lines').querySelector('img, a')).toBeNull();
    const last = all(page, 'chat-line')[1];
    expect([...(last?.querySelectorAll('bdi') ?? [])].map((part) => part.textContent)).toEqual([
      'Bela',
      'র‍্যাপ 👨‍👩‍👧',
    ]);
  });

  it('say nothing has been said', async () => {
    expect((await chat(snapshotOf())).text('chat-lines')).toBe('Nobody has said anything yet.');
  });

  it('have phrases, reactions and the time in the reader’s language', async () => {
    const said = [saidOf('a', { ...bela, phrase: 'good_luck' }), saidOf('b', { ...bela, phrase: 'clap' })];
    const page = await chat(snapshotOf({ said }));
    expect(texts(page)).toEqual(['Good luck!', '👏']);
    expect(page.root.querySelector('[role="img"]')?.getAttribute('aria-label')).toBe('Applause');
    page.app.speak('bn');
    await page.drawn();
    expect(texts(page)).toEqual(['শুভকামনা রইল!', '👏']);
    expect(page.root.querySelector('[role="img"]')?.getAttribute('aria-label')).toBe('হাততালি');
    expect(page.root.querySelector('time')?.textContent).toMatch(/^[০-৯]{2}:[০-৯]{2}$/);
  });

  it('mark what came while one looked on', async () => {
    const page = await chat(snapshotOf({ said: [saidOf('a')] }));
    page.app.store.ears.events(batchOf(6, saidOf('b', { ...bela, at: 2000 })));
    await page.drawn();
    expect(all(page, 'chat-line').map(({ classList }) => classList.contains('line-fresh'))).toEqual([
      false,
      true,
    ]);
  });

  it('are hidden for a reader by their person, and shown again', async () => {
    const page = await chat(
      snapshotOf({
        you: { seat: 0, host: false, watching: false },
        host: 1,
        said: [saidOf('mine'), saidOf('hers', bela)],
      }),
    );
    // At one's own line a guest has nothing to choose.
    expect(all(page, 'line-more')).toHaveLength(1);
    page.get('line-more').click();
    await page.drawn();
    expect([page.find('line-unsay'), page.find('line-mute')]).toEqual([null, null]);
    page.get('line-hide').click();
    await page.drawn();
    expect(texts(page)).toEqual(['mine']);
    expect(document.activeElement).toBe(page.get('chat-lines'));
    expect(page.text('chat-hidden')).toContain('You do not see what Bela writes.');
    page.get('chat-show').click();
    await page.drawn();
    expect(texts(page)).toEqual(['mine', 'hers']);
  });

  it('are taken out by the host, who also mutes and lets write again', async () => {
    const said = [saidOf('mine'), saidOf('hers', bela)];
    const page = await chat(snapshotOf({ said }));
    const [own, hers] = all(page, 'line-more');
    own?.click();
    await page.drawn();
    expect([page.find('line-hide'), page.find('line-mute')]).toEqual([null, null]);
    page.get('line-unsay').click();
    hers?.click();
    await page.drawn();
    expect(page.text('line-mute')).toBe('Mute Bela in the chat');
    page.get('line-mute').click();
    page.app.store.ears.events(batchOf(6, { type: 'muted', seat: 1, on: true }));
    await page.drawn();
    hers?.click();
    await page.drawn();
    expect(page.text('line-mute')).toBe('Let Bela write again');
    page.get('line-mute').click();
    expect(page.ask.mock.calls.map(([command, { id: _, ...rest }]) => [command, rest])).toEqual([
      ['unsay', { said: 'mine' }],
      ['mute', { seat: 1, on: true }],
      ['mute', { seat: 1, on: false }],
    ]);
  });

  it('of somebody who has gone do not mute whoever sits there now', async () => {
    const seats = [seatOf(0, 'Asha'), seatOf(1, 'Chand')];
    const page = await chat(snapshotOf({ seats, said: [saidOf('hers', bela)] }));
    page.get('line-more').click();
    await page.drawn();
    expect(page.find('line-unsay')).not.toBeNull();
    expect(page.find('line-mute')).toBeNull();
  });
});
