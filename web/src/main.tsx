// Wiring: makes the parts, joins them, draws the screen. Nothing is decided here.

import { computed, effect, signal } from '@preact/signals';
import { render } from 'preact';
import { io } from 'socket.io-client';
import { createActions } from './actions';
import { createAnnouncer } from './announcer';
import { type App, AppProvider, createClock, createMemory, type Dialog, readTableId, takeToken } from './app';
import { createAsk, createCommand } from './asking';
import { createConnection, type Link } from './connection';
import { createMover } from './motion';
import { sentencesOf } from './sentences';
import { createStage } from './stage';
import { createStore, newest } from './store';
import { createTalk } from './talk';
import { isWaitedFor, tellTalk } from './telling';
import './styles/tokens.css';
import './styles/base.css';
import './styles/seats.css';
import './styles/panels.css';
import './styles/table.css';
import './styles/play.css';
import './styles/cards.css';
import './styles/chat.css';
import './styles/lines.css';
import './styles/dialogs.css';
import { Screen } from './ui/Screen';
import { firstLanguage, type Language, loadWords, plain, type Words } from './words';

const byId = (name: string): HTMLElement => document.getElementById(name) as HTMLElement;
const memory = createMemory(() => localStorage);
const now = (): number => Date.now();
/** What is older than this was missed: after sleep or a lost connection it is shown, not played. */
const LATE_MS = 2000;
// A link that brings a seat along: its token leaves the address at once, before anything is asked or drawn.
let token = takeToken(location, history);
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
        // Where nobody may watch, the token lets in who comes to take the seat.
        auth: (give) => give(token ? { ...auth(), token } : auth()),
      }),
    fetch: (...request) => fetch(...request),
    random: () => Math.random(),
    now,
  });
  const hex = (bytes: number): string =>
    Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join('');
  const actions = createActions(store, connection, { hex });
  const ask = createAsk(store, connection);
  // Where there is room, the chat stands beside the table (styles/chat.css asks the same).
  const roomy = matchMedia('(min-width: 900px) and (min-height: 481px)');
  const wide = signal(roomy.matches);
  roomy.addEventListener('change', () => {
    wide.value = roomy.matches;
  });
  const talk = createTalk(store, ask, { table: id, memory, wide, id: () => hex(12), now });
  const quiet = matchMedia('(prefers-reduced-motion: reduce)');
  const stage = createStage(
    createMover(document, () => quiet.matches),
    {
      hidden: () => document.hidden,
      late: (at) => now() + store.skew.peek() - at > LATE_MS,
      wait: (ms, then) => {
        const timer = setTimeout(then, ms);
        return () => clearTimeout(timer);
      },
    },
  );
  const announcer = createAnnouncer(
    byId('polite'),
    byId('assertive'),
    (count) => plain(words.peek().counted('app.announcer.skipped', count)),
    (count) => plain(words.peek().counted('app.chat.many', count)),
  );

  store.onChange((entry) => {
    const table = store.table.peek();
    if (!table) return;
    if (!entry) return stage.jump(table, newest(store.entries.peek()));
    stage.play(entry, table);
    for (const sentence of sentencesOf(entry.events, entry.before, words.peek()))
      announcer.say(plain(sentence));
  });
  tellTalk(store, talk, words, announcer, (pattern) => {
    // Before the first tap a phone may not shake, and a browser complains.
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
  });

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    const table = store.table.peek();
    if (table) stage.jump(table, stage.scene.peek()?.entry ?? null);
    connection.wake();
  });
  addEventListener('online', () => connection.wake());
  // A page that the browser had frozen.
  document.addEventListener('resume', () => connection.wake());

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
    const title = isWaitedFor(store) ? 'app.title.nudged' : mine ? 'app.title.your_turn' : 'app.title';
    document.title = words.value.text(title);
  });

  const dialog = signal<Dialog | null>(token ? { kind: 'claim', token } : null);
  addEventListener('hashchange', () => {
    token = takeToken(location, history) ?? token;
    if (token) dialog.value = { kind: 'claim', token };
  });

  const app: App = {
    id,
    store,
    actions,
    command: createCommand(ask, () => hex(12)),
    stage,
    talk,
    words: computed(() => words.value),
    watching: signal(false),
    dialog,
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
