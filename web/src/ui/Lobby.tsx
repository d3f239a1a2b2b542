// Before the first game: who sits where, how others come, and the start.

import { useApp } from '../app';
import type { Table } from '../fold';
import { nameAt, personOf } from '../sentences';
import { Chat } from './Chat';
import { Invite } from './Invite';
import { PersonButton } from './PersonButton';
import { Refused } from './Refused';
import { Say } from './Say';
import { freeSeat, SitForm } from './SitForm';

export function Lobby({ table }: { table: Table }) {
  const { words } = useApp();
  const say = words.value;
  const seats = Array.from({ length: table.settings.seats }, (_, seat) => seat);
  const sits = table.you.seat !== null;
  return (
    <main class="lobby">
      <section class="panel">
        <h1>{say.text('app.lobby')}</h1>
        <ol class="places">
          {seats.map((seat) => (
            <Place key={seat} table={table} seat={seat} />
          ))}
        </ol>
        <SitForm key={String(sits)} table={table} />
        <Start table={table} />
        <Refused />
      </section>
      {table.settings.kind === 'people' && <Invite />}
      <Settings table={table} />
      <Chat table={table} />
    </main>
  );
}

function Place({ table, seat }: { table: Table; seat: number }) {
  const { actions, memory, words } = useApp();
  const say = words.value;
  const taken = table.seats.find((other) => other.seat === seat);
  if (!taken) {
    return (
      <li class="place place-free" data-testid={`seat-${seat}`}>
        <span class="token" aria-hidden="true" />
        <span class="place-name">{say.text('app.seat.free')}</span>
        {table.you.seat === null && (
          <button
            type="button"
            class="quiet"
            aria-label={say.text('app.seat.take.number', { seat: seat + 1 })}
            onClick={() => void actions.sit(memory.get('rm.name') ?? '', seat)}
          >
            {say.text('app.seat.take')}
          </button>
        )}
      </li>
    );
  }
  const name = personOf(taken, say);
  return (
    <li class={`place place-${seat} ${taken.present ? '' : 'place-absent'}`} data-testid={`seat-${seat}`}>
      <span class="token" aria-hidden="true">
        {initial(name)}
      </span>
      <bdi class="place-name">{name}</bdi>
      <span class="marks">
        {table.you.seat === seat && <span class="mark mark-you">{say.text('app.seat.you')}</span>}
        {table.host === seat && <span class="mark">{say.text('app.seat.host')}</span>}
        {!taken.present && <span class="mark">{say.text('app.seat.absent')}</span>}
      </span>
      <PersonButton table={table} seat={seat} class="quiet" />
    </li>
  );
}

/** The first letter as a reader sees it: a Bengali one keeps its vowel sign. */
export function initial(name: string): string {
  const trimmed = name.trim();
  // An older browser cuts by code point: a letter without its vowel sign, but a letter.
  const [first = ''] = Intl.Segmenter
    ? Array.from(
        new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(trimmed),
        (part) => part.segment,
      )
    : trimmed;
  return first.toUpperCase();
}

function Start({ table }: { table: Table }) {
  const { actions, words } = useApp();
  const say = words.value;
  const taken = table.seats.length;
  if (table.you.host) {
    const free = table.settings.seats - taken;
    return (
      <div class="start">
        <button
          type="button"
          class="main wide"
          data-testid="start"
          aria-disabled={taken < 2}
          onClick={() => void actions.start()}
        >
          {say.text('app.start')}
        </button>
        <p class="note">
          {taken < 2
            ? say.text('app.start.need_two')
            : freeSeat(table) === null
              ? say.text('app.start.everybody')
              : say.counted('app.start.short', free, { seats: taken })}
        </p>
      </div>
    );
  }
  if (table.host === null) return <p class="note">{say.text('app.start.no_host')}</p>;
  return (
    <p class="note">
      <Say sentence={say.pieces('app.start.wait', { name: nameAt(table.names, table.host, say) })} />
    </p>
  );
}

function Settings({ table }: { table: Table }) {
  const { dialog, words } = useApp();
  const say = words.value;
  const { kind, deck, length, chat, watchers, locked } = table.settings;
  return (
    <section class="panel settings">
      <h2>{say.text('app.settings')}</h2>
      <ul>
        <li>{say.text(`app.settings.deck.${deck}`)}</li>
        <li>{say.text(`app.settings.length.${length}`)}</li>
        {kind === 'people' && <li>{say.text(`app.settings.chat.${chat}`)}</li>}
        <li>{say.text(watchers ? 'app.settings.watchers.on' : 'app.settings.watchers.off')}</li>
        {locked && <li>{say.text('app.settings.locked')}</li>}
      </ul>
      {table.you.host && (
        <button
          type="button"
          data-testid="settings"
          aria-haspopup="dialog"
          onClick={() => {
            dialog.value = { kind: 'settings' };
          }}
        >
          {say.text('app.host.settings')}
        </button>
      )}
      <a href={say.language === 'bn' ? '/bn/rules' : '/rules'} target="_blank" rel="noreferrer">
        {say.text('app.rules')}
      </a>
    </section>
  );
}
