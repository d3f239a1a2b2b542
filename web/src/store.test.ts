import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createStore, type Entry, refusalOf, type Store } from './store';
import { batchOf, playing, revealed, seatOf, snapshotOf } from './test/builders';

let store: Store;
let resync: ReturnType<typeof vi.fn<() => void>>;
let told: (Entry | null)[];

beforeEach(() => {
  resync = vi.fn<() => void>();
  store = createStore(resync);
  told = [];
  store.onChange((entry) => void told.push(entry));
});

describe('the table in the store', () => {
  it('begins with a snapshot and follows batch by batch', () => {
    expect(store.ears.since()).toBeNull();
    store.ears.snapshot(playing());
    store.ears.events(batchOf(6, revealed(1, 0, '7H', 'KD')));
    expect(store.table.value?.game?.n).toBe(1);
    expect(store.ears.since()).toEqual(['e1', 6, 'm6']);
    expect(told.map((entry) => entry?.seq ?? null)).toEqual([null, 6]);
    expect(store.entries.value.map(({ seq }) => seq)).toEqual([6]);
  });

  it('takes a batch once, however often it comes', () => {
    store.ears.snapshot(playing());
    const batch = batchOf(6, revealed(1, 0, '7H', 'KD'));
    store.ears.events(batch);
    store.ears.events(batch);
    store.ears.events(batchOf(5));
    expect(store.table.value?.game?.stacks).toEqual([25, 25]);
    expect(resync).not.toHaveBeenCalled();
  });

  it('counts a batch in which nothing was for its eyes', () => {
    store.ears.snapshot(snapshotOf());
    store.ears.events(batchOf(6));
    expect(store.ears.since()).toEqual(['e1', 6, 'm6']);
    expect(resync).not.toHaveBeenCalled();
  });

  it('asks again at a hole or another epoch, and takes nothing in', () => {
    store.ears.snapshot(playing());
    store.ears.events(batchOf(8, revealed(3, 0, '7H', 'KD')));
    store.ears.events({ ...batchOf(6), epoch: 'e2' });
    expect(resync).toHaveBeenCalledTimes(2);
    expect(store.table.value?.seq).toBe(5);
  });

  it('has nothing to fold into before the first snapshot', () => {
    store.ears.events(batchOf(6));
    store.ears.you({ seat: 1, host: false, watching: false });
    store.ears.presence({ watching: 1, absent: [] });
    expect(store.table.value).toBeNull();
  });

  it('says so when history went back', () => {
    store.ears.snapshot(snapshotOf({ seq: 9 }));
    expect(store.rewound.value).toBe(false);
    store.ears.snapshot(snapshotOf({ seq: 4 }));
    expect(store.rewound.value).toBe(true);
    expect(store.entries.value).toEqual([]);
    store.ears.events(batchOf(5));
    expect(store.rewound.value).toBe(false);
  });

  it('shows the newest reveal to whoever comes late', () => {
    store.ears.snapshot(playing({ last: [revealed(4, 1, '7H', 'KD')] }));
    expect(store.entries.value).toHaveLength(1);
  });

  it('follows who one is, who is there, and when a card turns itself', () => {
    store.ears.snapshot(snapshotOf());
    store.ears.you({ seat: 1, host: false, watching: false });
    store.ears.presence({ watching: 2, absent: [0] });
    store.ears.moment({ turnDue: 77 });
    expect(store.table.value?.you.seat).toBe(1);
    expect(store.table.value?.watching).toBe(2);
    expect(store.turnDue.value).toBe(77);
  });
});

describe('what goes with the connection', () => {
  it('is auto-reveal, offered back afterwards', () => {
    store.auto.value = 'on';
    store.ears.link({ kind: 'lost', retryAt: 0, code: null });
    store.ears.link({ kind: 'live' });
    expect(store.auto.value).toBe('dropped');
    expect(store.live.value).toBe(true);
  });

  it('is auto-reveal no more where the seat is lost: whoever sits again turns their cards', () => {
    store.ears.snapshot(playing());
    store.auto.value = 'on';
    store.ears.events(batchOf(6, { type: 'left', seat: 0, why: 'left' }));
    store.ears.you({ seat: null, host: false, watching: true });
    store.ears.you({ seat: 0, host: true, watching: false });
    expect(store.auto.value).toBe('off');
  });

  it('is what the server said of itself', () => {
    store.ears.notice({ code: 'store_down' });
    expect(store.weather.value).toBe('store_down');
    store.ears.notice({ code: 'store_back' });
    expect(store.weather.value).toBeNull();
    store.ears.notice({ code: 'draining' });
    store.ears.notice({ code: 'nudged' });
    expect(store.weather.value).toBe('draining');
    store.ears.link({ kind: 'live' });
    expect(store.weather.value).toBeNull();
  });

  it('is not the tap that was sent: the card that comes ends its turning', () => {
    store.ears.snapshot(playing());
    store.turning.value = 1;
    store.ears.events(batchOf(6, revealed(1, 0, '7H', 'KD')));
    expect(store.turning.value).toBeNull();
  });
});

it('reads a refusal out of a reply', () => {
  expect(refusalOf({ ok: true })).toBeNull();
  expect(refusalOf({ ok: false, code: 'not_ready', message: '', seats: [1] })).toEqual({
    code: 'not_ready',
    seats: [1],
  });
  expect(refusalOf({ ok: false, code: 'full', message: '' })).toEqual({ code: 'full', seats: [] });
});

describe('a seat that goes along to another device', () => {
  const watching = { seat: null, host: false, watching: true };

  it('is told from one that was left', () => {
    store.ears.snapshot(playing());
    store.ears.you(watching);
    expect(store.moved.value).toBe(true);
    store.ears.you({ seat: 0, host: true, watching: false });
    expect(store.moved.value).toBe(false);
    store.ears.events(batchOf(6, { type: 'left', seat: 0, why: 'left' }));
    store.ears.you(watching);
    expect(store.moved.value).toBe(false);
  });

  it('is seen too by who was not connected meanwhile', () => {
    store.ears.snapshot(playing());
    store.ears.snapshot(playing({}, { you: watching }));
    expect(store.moved.value).toBe(true);
  });
});

describe('a seat that was given up while nobody told', () => {
  it('did not go along to another device', () => {
    store.ears.snapshot(snapshotOf());
    store.ears.snapshot(
      snapshotOf({ seats: [seatOf(1, 'Bela')], you: { seat: null, host: false, watching: true } }),
    );
    expect(store.moved.value).toBe(false);
  });
});

describe('the store’s clock', () => {
  it('is known from the snapshot, and never put back by an old batch', () => {
    let now = 400;
    store = createStore(resync, () => now);
    store.ears.snapshot(playing());
    expect(store.skew.value).toBe(600);
    now = 5000;
    store.ears.events(batchOf(6, revealed(1, 0, '7H', 'KD')));
    expect(store.skew.value).toBe(600);
    now = 300;
    store.ears.events(batchOf(7, revealed(2, 1, '8H', '7H')));
    expect(store.skew.value).toBe(707);
  });
});
