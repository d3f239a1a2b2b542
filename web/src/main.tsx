// Wiring: makes the parts, joins them, draws the screen. Nothing is decided here.

import { computed, effect, signal } from '@preact/signals';
import { render } from 'preact';
import { io } from 'socket.io-client';
import { createActions } from './actions';
import { createAnnouncer } from './announcer';
import { type App, AppProvider, createClock, createMemory, readTableId } from './app';
import { createConnection, type Link } from './connection';
import { createMover } from './motion';
import { sentencesOf } from './sentences';
import { createStage } from './stage';
import { createStore, newest } from './store';
import './styles/tokens.css';
import './styles/base.css';
import './styles/seats.css';
import './styles/panels.css';
import './styles/table.css';
import './styles/play.css';
import './styles/cards.css';
import { Screen } from './ui/Screen';
import { firstLanguage, type Language, loadWords, plain, type Words } from './words';

const byId = (name: string): HTMLElement => document.getElementById(name) as HTMLElement;
const memory = createMemory(() => localStorage);
const now = (): number => Date.now();
const id = readTableId(location.pathname.split('/')[2] ?? '');

async function begin(): Promise<void> {
  const words = signal<Words>(await loadWords(firstLanguage(memory.get('rm.language'), navigator.language)));
  const store = createStore(() => connection.wake());
  const connection = createConnection(id, store.ears, {
    makeSocket: (table, auth) =>
      io({
        autoConnect: false,
        forceNew: true,
        reconnection: false,
        transports: ['websocket', 'polling'],
        tryAllTransports: true,
        query: { table },
        auth: (give) => give(auth()),
      }),
    fetch: (...request) => fetch(...request),
    random: () => Math.random(),
    now,
  });
  const actions = createActions(store, connection, {
    hex: (bytes) =>
      Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
        byte.toString(16).padStart(2, '0'),
      ).join(''),
  });
  const quiet = matchMedia('(prefers-reduced-motion: reduce)');
  const stage = createStage(
    createMover(document, () => quiet.matches),
    {
      hidden: () => document.hidden,
      wait: (ms, then) => {
        const timer = setTimeout(then, ms);
        return () => clearTimeout(timer);
      },
    },
  );
  const announcer = createAnnouncer(byId('polite'), byId('assertive'), (count) =>
    plain(words.peek().counted('app.announcer.skipped', count)),
  );

  store.onChange((entry) => {
    const table = store.table.peek();
    if (!table) return;
    if (!entry) return stage.jump(table, newest(store.entries.peek()));
    stage.play(entry, table);
    for (const sentence of sentencesOf(entry.events, entry.before, words.peek()))
      announcer.say(plain(sentence));
  });

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    const table = store.table.peek();
    if (table) stage.jump(table, stage.scene.peek()?.entry ?? null);
    connection.wake();
  });
  addEventListener('online', () => connection.wake());

  let heard: Link['kind'] = 'connecting';
  effect(() => {
    const { kind } = store.link.value;
    if (kind === 'lost' && heard === 'live') announcer.interrupt(words.peek().text('app.link.retrying'));
    if (kind === 'live' && heard === 'lost') announcer.interrupt(words.peek().text('app.link.back'));
    heard = kind;
  });

  effect(() => {
    document.documentElement.lang = words.value.language;
    const table = store.table.value;
    const mine = table !== null && table.you.seat !== null && table.game?.turn === table.you.seat;
    document.title = words.value.text(mine ? 'app.title.your_turn' : 'app.title');
  });

  const app: App = {
    id,
    store,
    actions,
    stage,
    words: computed(() => words.value),
    watching: signal(false),
    clock: createClock(now),
    memory,
    speak(language: Language) {
      memory.set('rm.language', language);
      void loadWords(language).then((next) => {
        words.value = next;
      });
    },
    reconnect: () => connection.open(),
    announce: (text) => announcer.say(text),
  };
  render(
    <AppProvider value={app}>
      <Screen />
    </AppProvider>,
    byId('app'),
  );
  connection.open();
}

void begin();
