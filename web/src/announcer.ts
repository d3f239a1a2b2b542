// What is read out to those who listen. The two regions are static in the page and outside the framework, because a
// region that is drawn anew is not read. Invariant: sentences are spoken in the order they were given.

export interface Announcer {
  /** Say it when what is being said is over. */
  say(text: string): void;
  /** Say a line of chat after every sentence of play that waits; of more than two only how many they are. */
  line(text: string): void;
  /** Say it at once, over everything: for the connection and for being turned for. */
  interrupt(text: string): void;
}

const FLUSH_MS = 400;
/** About how long a screen reader takes for one character. */
const SPEAKING_MS = 45;
const MOST_WAITING = 3;
const MOST_LINES = 2;

/** Make an announcer. `summary` says in words how many sentences were left out, `many` how many lines of chat came. */
export function createAnnouncer(
  polite: HTMLElement,
  assertive: HTMLElement,
  summary: (count: number) => string,
  many: (count: number) => string,
): Announcer {
  let waiting: string[] = [];
  let lines: string[] = [];
  let speaking = false;

  function flush(): void {
    speaking = false;
    if (waiting.length === 0 && lines.length === 0) return;
    const left = waiting.length - MOST_WAITING;
    const spoken = left > 0 ? [summary(left), ...waiting.slice(left)] : waiting;
    waiting = [];
    const talk = lines.length > MOST_LINES ? [many(lines.length)] : lines;
    lines = [];
    const text = [...spoken, ...talk].join(' ');
    put(polite, text);
    speaking = true;
    setTimeout(flush, FLUSH_MS + text.length * SPEAKING_MS);
  }

  function soon(): void {
    if (speaking) return;
    speaking = true;
    setTimeout(flush, FLUSH_MS);
  }

  return {
    say(text) {
      waiting.push(text);
      soon();
    },
    line(text) {
      lines.push(text);
      soon();
    },
    interrupt(text) {
      put(assertive, text);
    },
  };
}

/** Put a text in so that it is read even when it is the same as before. */
function put(region: HTMLElement, text: string): void {
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
