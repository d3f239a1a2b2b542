import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Shown, show } from '../test/render';
import { Invite } from './Invite';

afterEach(() => {
  vi.unstubAllGlobals();
});

async function shared(navigator: object): Promise<Shown> {
  vi.stubGlobal('navigator', navigator);
  const page = show(<Invite />);
  page.get('share').click();
  await page.drawn();
  return page;
}

describe('the invite link', () => {
  it('is this table’s, to be read and scanned', () => {
    const page = show(<Invite />);
    expect((page.get('invite-link') as HTMLInputElement).value).toMatch(/\/t\/7ygvhbvchejm$/);
    expect(page.root.querySelector('img')?.getAttribute('src')).toBe('/t/7ygvhbvchejm/qr.svg');
  });

  it('is shared where the device can', async () => {
    const share = vi.fn(() => Promise.resolve());
    const page = await shared({ share });
    expect(share).toHaveBeenCalledWith(
      expect.objectContaining({ url: expect.stringContaining('/t/7ygvhbvchejm') }),
    );
    expect(page.root.textContent).not.toContain('copied');
  });

  it('is left alone when the sheet was closed', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    const closed = () => Promise.reject(new DOMException('no', 'AbortError'));
    await shared({ share: closed, clipboard: { writeText } });
    expect(writeText).not.toHaveBeenCalled();
  });

  it('is copied otherwise', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    const page = await shared({ share: () => Promise.reject(new Error('no')), clipboard: { writeText } });
    expect(writeText).toHaveBeenCalled();
    expect(page.root.textContent).toContain('The link is copied.');
  });

  it('is selected to be copied by hand where nothing else works', async () => {
    const page = await shared({});
    expect(page.root.textContent).toContain('copy it by hand');
    expect(document.activeElement).toBe(page.get('invite-link'));
  });
});
