import { describe, expect, it, vi } from 'vitest';
import type { ChatMode, Reply, Snapshot } from '../protocol';
import { playing, seatOf, settings, snapshotOf } from '../test/builders';
import { type Shown, show } from '../test/render';
import { PHRASES, REACTIONS } from './phrases';
import { Screen } from './Screen';

async function chat(snapshot: Snapshot = snapshotOf()): Promise<Shown> {
  const page = show(<Screen />);
  page.app.store.ears.link({ kind: 'live' });
  page.app.store.ears.snapshot(snapshot);
  page.app.talk.open.value = true;
  // The panel is loaded after the table.
  await vi.waitFor(() => page.get('chat-write'));
  return page;
}
const mode = (chosen: ChatMode) => ({ settings: { ...settings, chat: chosen } });
const watcher = { you: { seat: null, host: false, watching: true } };
const field = (page: Shown): HTMLInputElement => page.get('chat-text') as HTMLInputElement;

async function write(page: Shown, text: string): Promise<void> {
  field(page).value = text;
  field(page).dispatchEvent(new Event('input', { bubbles: true }));
  await page.drawn();
}
async function send(page: Shown): Promise<void> {
  field(page).form?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
  await page.drawn();
}
const said = (page: Shown) => page.ask.mock.calls.map(([command, { id: _, ...rest }]) => [command, rest]);

describe('writing', () => {
  it('sends what is written, and is ready for the next', async () => {
    const page = await chat();
    await write(page, 'এই যে!');
    await send(page);
    expect(said(page)).toEqual([['say', { text: 'এই যে!' }]]);
    expect(field(page).value).toBe('');
    expect(page.announced).toEqual(['Sent.']);
  });

  it('tells how much room is left near the limit, and how much is too much', async () => {
    const page = await chat();
    await write(page, 'ক'.repeat(159));
    expect(page.text('chat-left')).toBe('');
    await write(page, 'কি'.repeat(160));
    expect(page.text('chat-left')).toBe('40 letters left');
    await write(page, '👨‍👩‍👧'.repeat(199));
    expect(page.text('chat-left')).toBe('1 letter left');
    await write(page, 'x'.repeat(203));
    expect(page.text('chat-left')).toBe('3 letters too many');
  });

  it('leaves Enter to a keyboard that is choosing letters', async () => {
    const page = await chat();
    const enter = (more: object): boolean => {
      const event = new KeyboardEvent('keydown', { key: 'Enter', cancelable: true, bubbles: true, ...more });
      return field(page).dispatchEvent(event);
    };
    expect(enter({})).toBe(true);
    expect(enter({ isComposing: true })).toBe(false);
    expect(enter({ keyCode: 229 })).toBe(false);
    field(page).dispatchEvent(new Event('compositionstart'));
    expect(enter({})).toBe(false);
    field(page).dispatchEvent(new Event('compositionend'));
    expect(enter({})).toBe(true);
  });

  it.each([
    ['too_fast', 'That was a lot in a short time.'],
    ['too_long', 'That is too long: 200 letters at most.'],
    ['muted', 'The host has muted you.'],
    ['phrases_only', 'At this table only the ready phrases are used.'],
    ['chat_off', 'There is no chat at this table.'],
  ] as const)('keeps a line refused as %s, with the reason beside it', async (code, words) => {
    const page = await chat();
    page.ask.mockResolvedValueOnce({ ok: false, code, message: '' });
    await write(page, 'hello');
    await send(page);
    expect(field(page).value).toBe('hello');
    expect(page.get('chat-trouble').dataset.value).toBe(code);
    expect(page.text('chat-trouble')).toContain(words);
    expect(page.announced).toEqual([]);
  });

  it('says that a line waits for the connection, and keeps it if that never came', async () => {
    const page = await chat();
    let answer: (reply: Reply | null) => void = () => {};
    page.ask.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    page.app.store.ears.link({ kind: 'lost', retryAt: 0, code: null });
    await write(page, 'hello');
    await send(page);
    expect(page.text('chat-trouble')).toContain('goes off as soon as it is back');
    answer(null);
    await page.drawn();
    expect(page.text('chat-trouble')).toContain('The table did not answer.');
    expect(field(page).value).toBe('hello');
  });
});

describe('one tap', () => {
  it('says any of the phrases and reactions', async () => {
    const page = await chat(snapshotOf(mode('phrases')));
    const ready = [...Object.keys(REACTIONS), ...PHRASES];
    expect(ready).toHaveLength(19);
    for (const phrase of ready) {
      page.get(`say-${phrase}`).click();
      await page.drawn();
    }
    expect(said(page)).toEqual(ready.map((phrase) => ['say', { phrase }]));
  });

  it('has its phrases folded away where one may write', async () => {
    const page = await chat();
    expect(page.find('say-hello')).toBeNull();
    page.get('chat-phrases').click();
    await page.drawn();
    expect(page.text('say-hello')).toBe('Hello, everybody!');
    expect(page.get('say-flower').getAttribute('aria-label')).toBe('A flower');
  });
});

describe('where one may not write', () => {
  it.each([
    ['phrases', snapshotOf(mode('phrases')), 'we talk in ready phrases', [false, true]],
    ['off', snapshotOf(mode('off')), 'The host has switched the chat off.', [false, false]],
    ['watching', playing({}, watcher), 'Sit down to write.', [false, false]],
  ] as const)('says so: %s', async (value, snapshot, words, [written, tapped]) => {
    const page = await chat(snapshot);
    expect(page.get('chat-write').dataset.value).toBe(value);
    expect(page.text('chat-mode')).toContain(words);
    expect([page.find('chat-text') !== null, page.find('say-clap') !== null]).toEqual([written, tapped]);
  });

  it('says to the muted that they are, with the field shut', async () => {
    const page = await chat(snapshotOf({ seats: [seatOf(0, 'Asha', { muted: true })] }));
    expect(page.text('chat-mode')).toContain('The host has muted you');
    expect(field(page).disabled).toBe(true);
    expect(page.find('say-clap')).toBeNull();
  });

  it('says where one may', async () => {
    expect((await chat()).text('chat-mode')).toBe('Whoever has a seat can write.');
  });
});
