import { describe, expect, it } from 'vitest';
import { createHiding } from './hiding';
import { createStore } from './store';
import { batchOf, snapshotOf } from './test/builders';

function setUp(kept = new Map<string, string>()) {
  const store = createStore(() => {});
  store.ears.snapshot(snapshotOf());
  const memory = {
    get: (key: string) => kept.get(key) ?? null,
    set: (key: string, value: string) => void kept.set(key, value),
  };
  return { store, kept, memory, hiding: createHiding('table', store, memory) };
}

describe('hiding a person', () => {
  it('lasts over a reload, at this table alone, until they are shown again', () => {
    const { hiding, store, memory } = setUp();
    hiding.hide('Bela');
    hiding.hide('Bela');
    expect([hiding.hides('Bela'), hiding.hides('Asha')]).toEqual([true, false]);
    expect(createHiding('table', store, memory).people.value).toEqual([['Bela']]);
    expect(createHiding('another', store, memory).people.value).toEqual([]);
    hiding.show('Bela');
    expect(createHiding('table', store, memory).hides('Bela')).toBe(false);
  });

  it('follows them to another name, whatever seat they have', () => {
    const { hiding, store } = setUp();
    hiding.hide('Bela');
    store.ears.events(batchOf(6, { type: 'renamed', seat: 1, name: 'Bulbul' }));
    store.ears.events(batchOf(7, { type: 'renamed', seat: 0, name: 'Aasha' }));
    expect(['Bela', 'Bulbul', 'Aasha'].map(hiding.hides)).toEqual([true, true, false]);
    expect(hiding.people.value).toEqual([['Bela', 'Bulbul']]);
    hiding.show('Bulbul');
    expect(['Bela', 'Bulbul'].map(hiding.hides)).toEqual([false, false]);
  });

  it('is forgotten for the oldest of many tables, and never for this one', () => {
    const { kept, store, memory } = setUp();
    for (let table = 0; table < 12; table += 1) createHiding(`t${table}`, store, memory).hide('Bela');
    const tables = (JSON.parse(kept.get('rm.hidden') ?? '') as [string][]).map(([table]) => table);
    expect(tables).toEqual(['t11', 't10', 't9', 't8', 't7', 't6', 't5', 't4']);
  });

  it('begins anew where what was kept is not ours', () => {
    for (const odd of ['{', '7', '{}', '[["table",["Bela"]]]', '[["table",[[1]]]]', '[null]']) {
      expect(setUp(new Map([['rm.hidden', odd]])).hiding.people.value).toEqual([]);
    }
  });
});
