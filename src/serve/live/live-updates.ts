import type { Clock } from '../../base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import { KEYLESS } from '../cache/reader-threads.ts';
import { unavailable } from '../http/problems.ts';

/** Intervals of checks and of heartbeats, while somebody listens. */
const CHECK_MS = SECOND_MS;
const BEAT_MS = 10 * SECOND_MS;
/** Longest stream. The client reconnects, which checks its key again. */
const LONGEST_MS = 10 * MINUTE_MS;
/** Shortest interval of updates, as a run changes the lake every second. */
const BETWEEN_MS = 5 * SECOND_MS;
/** Limits of streams: per key, without a key, and in total. */
const MOST_OF_A_KEY = 6;
const MOST_KEYLESS = 60;
const MOST = 500;
const RETRY_MS = 30 * SECOND_MS;
/** Messages that a slow client may leave unread. */
const MOST_WAITING = 20;

interface Listener {
  readonly owner: string;
  readonly until: number; // monotonic ms
  readonly send: (text: string) => void;
  readonly end: () => void;
}

/** Notifies open pages of changes of the lake with server-sent events. */
export class LiveUpdates {
  readonly #lake: Lake;
  readonly #machine: Clock;
  readonly #boot: string;
  readonly #listeners = new Set<Listener>();
  readonly #closing = new AbortController();
  #isWatching = false;

  /** @param boot distinguishes versions of this process from earlier ones */
  constructor(lake: Lake, { machine, boot }: { machine: Clock; boot: string }) {
    this.#lake = lake;
    this.#machine = machine;
    this.#boot = boot;
  }

  get version(): string {
    return `${this.#boot}.${lakeVersion(this.#lake)}`;
  }

  /**
   * A stream of `version` events, the first at once, with heartbeats between them.
   * @throws RefusedError if too many streams are open
   */
  listen(owner: string, gone: AbortSignal): ReadableStream<Uint8Array> {
    this.#refuseTooMany(owner);
    const encoder = new TextEncoder();
    let listener: Listener | undefined;
    const leave = (): void => {
      if (listener !== undefined) this.#listeners.delete(listener);
    };
    gone.addEventListener('abort', leave);
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const end = (): void => {
          leave();
          try {
            controller.close();
          } catch {} // closed by the client already
        };
        const send = (text: string): void => {
          if ((controller.desiredSize ?? 0) < -MOST_WAITING) end();
          else controller.enqueue(encoder.encode(text));
        };
        listener = { owner, until: this.#machine.monotonic() + LONGEST_MS, send, end };
        this.#listeners.add(listener);
        send(`retry: 2000\n${this.#message()}`);
        void this.#watch();
      },
      cancel: leave,
    });
  }

  close(): void {
    this.#closing.abort();
    for (const { end } of [...this.#listeners]) end();
  }

  #message(): string {
    return `event: version\ndata: ${this.version}\n\n`;
  }

  #refuseTooMany(owner: string): void {
    const own = [...this.#listeners].filter((listener) => listener.owner === owner).length;
    const most = owner === KEYLESS ? MOST_KEYLESS : MOST_OF_A_KEY;
    if (own >= most || this.#listeners.size >= MOST || this.#closing.signal.aborted)
      throw unavailable(
        `${own >= most ? own : this.#listeners.size} pages already receive live updates. Close one, or try again later.`,
        RETRY_MS,
      );
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const machine = this.#machine;
    let sentVersion = this.version;
    let sentAt = Number.NEGATIVE_INFINITY;
    let beatAt = machine.monotonic();
    try {
      while (this.#listeners.size > 0) {
        await machine.sleep(CHECK_MS, this.#closing.signal);
        const now = machine.monotonic();
        for (const { until, end } of [...this.#listeners]) if (now >= until) end();
        if (this.version !== sentVersion && now - sentAt >= BETWEEN_MS) {
          sentVersion = this.version;
          sentAt = now;
          beatAt = now;
          this.#sendAll(this.#message());
        } else if (now - beatAt >= BEAT_MS) {
          beatAt = now;
          this.#sendAll('event: beat\ndata:\n\n');
        }
      }
    } catch {
      // closing, or the lake is unreadable: clients reconnect and get the error
      for (const { end } of [...this.#listeners]) end();
    } finally {
      this.#isWatching = false;
    }
  }

  #sendAll(text: string): void {
    for (const { send } of [...this.#listeners]) send(text);
  }
}
