import { PausedError } from '../../upstream/throttle/errors.ts';
import type { Ledger } from '../../upstream/throttle/ledger.ts';
import { keysFor, platformOf } from '../plan/key-share.ts';
import { KeyLane, type RunKey } from './key-lane.ts';
import { type OpenThrottle, openThrottle, type ThrottleOptions } from './open-throttle.ts';
import type { OpenItem } from './run-log.ts';

/** How a run that has stopped may be told: pauses end, so they count before failures. */
const worseLast = (stops: readonly Error[]): Error | undefined => {
  const pauses = stops.filter((stop) => stop instanceof PausedError);
  const soonest = pauses.toSorted(
    (a, b) => (a.resumesAt ?? Number.MAX_VALUE) - (b.resumesAt ?? Number.MAX_VALUE),
  );
  return soonest[0] ?? stops[0];
};

/**
 * The keys of a run, side by side. A request goes, of the keys for its platform, to the one that will
 * have made first what it was dealt, by the pace of each; where a key stops, the others take over what
 * they may.
 */
export class Lanes {
  readonly all: readonly KeyLane[];

  constructor(
    keys: readonly RunKey[],
    options: Omit<ThrottleOptions, 'limits' | 'client' | 'counts'>,
    concurrency: number,
  ) {
    const counts: OpenThrottle['throttle']['counts'] = { sent: 0, ok: 0, failed: 0 };
    this.all = keys.map((key) => {
      const { client, ...limits } = key;
      return new KeyLane(key, openThrottle({ ...options, limits, client, counts }), concurrency);
    });
  }

  /** Calls that left so far. */
  get callsSent(): number {
    return this.all[0]?.throttle.counts.sent ?? 0;
  }

  get waiting(): number {
    return this.all.reduce((sum, lane) => sum + lane.waiting, 0);
  }

  get ledgers(): readonly Ledger[] {
    return this.all.map(({ ledger }) => ledger);
  }

  #serving({ request }: OpenItem): readonly KeyLane[] {
    const keys = keysFor(
      platformOf(request),
      this.all.map(({ key }) => key),
    );
    return this.all.filter(({ key }) => keys.includes(key));
  }

  /** The key a request is made with; undefined where all that might have stopped. */
  deal(item: OpenItem): KeyLane | undefined {
    const serving = this.#serving(item).filter(({ stop }) => stop === undefined);
    const allowed = serving.filter(({ forbidden }) => !forbidden.has(item.job));
    return (allowed.length > 0 ? allowed : serving).reduce<KeyLane | undefined>(
      (first, lane) =>
        first === undefined || lane.minutesAhead < first.minutesAhead ? lane : first,
      undefined,
    );
  }

  /** True where a key can or may not make a request, and its line leaves it to others. */
  passesOn(item: OpenItem, lane: KeyLane): boolean {
    if (lane.stop !== undefined) return true;
    const may = ({ stop, forbidden }: KeyLane): boolean =>
      stop === undefined && !forbidden.has(item.job);
    return !may(lane) && this.#serving(item).some(may);
  }

  /** Why nobody asks for it, in words; undefined while somebody may. */
  whyNot(item: OpenItem): string | undefined {
    const [lane] = this.#serving(item);
    return lane?.stop === undefined ? undefined : `Key ${lane.key.key?.name}: ${lane.stop.message}`;
  }

  /** Why the run stops, once every key has; undefined before. */
  get stop(): Error | undefined {
    const stops = this.all.flatMap(({ stop }) => (stop === undefined ? [] : [stop]));
    return stops.length === this.all.length ? worseLast(stops) : undefined;
  }

  clear(): void {
    for (const lane of this.all) lane.clear();
  }

  /** Resolves once nobody has anything to do; requests may go from one line into another till then. */
  async idle(): Promise<void> {
    while (this.waiting > 0) await Promise.all(this.all.map((lane) => lane.idle()));
  }
}
