import { deliveriesAtMost } from '../../alerts/webhooks/deliveries.ts';
import type { Clock } from '../../base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { snapshotsOf } from '../../lake/lists/computed-list.ts';
import { eventsAtMost } from '../../lake/lists/event-list.ts';
import { videosAtMost } from '../../lake/lists/window-snapshots.ts';
import type { Lake } from '../../lake/open.ts';
import type { SearchPage, SearchQuery } from '../../lake/search/search.ts';
import type { LakeCache } from './lake-cache.ts';
import { ListCache } from './list-cache.ts';
import { type ReaderOptions, ReaderThreads, type Requester } from './reader-threads.ts';
import { type FoundOf, type QueryOf, type Reading, type ReadQuery, readNow } from './readings.ts';

/** Limits of slow reads. */
export interface ReadLimits extends Omit<ReaderOptions, 'dataDir'> {
  /** Reads of up to this many rows, about 10 ms, run on the main thread. */
  readonly rowsHere: number;
}

const LIMITS: Omit<ReadLimits, 'clock'> = {
  rowsHere: 10_000,
  deadlineMs: MINUTE_MS,
  idleMs: MINUTE_MS,
  queueMost: 300, // burst of a key of tier scale
  heapMib: 64,
};

/** A search returns partial results after this time. */
const SEARCH_MS = 2 * SECOND_MS;

/** Rows that a reading touches, counted up to `most`. Other readings are slow. */
const ROWS_AT_MOST: {
  readonly [Name in Reading]?: (lake: Lake, query: QueryOf<Name>, most: number) => number;
} = {
  list: snapshotsOf,
  search: videosAtMost,
  findings: videosAtMost, // compares a video with about ten thousand others
  events: eventsAtMost, // counts all that match
  deliveries: (lake, { subscriptionId }, most) =>
    subscriptionId === undefined ? most : deliveriesAtMost(lake, subscriptionId, most),
};

export interface SearchWish
  extends Pick<SearchQuery, 'q' | 'platform' | 'limit' | 'page' | 'asOf'> {
  /** Videos published in this window before `asOf`. */
  readonly windowMs: number | undefined;
  readonly gone: () => AbortSignal;
  readonly owner: string;
  readonly isPage?: boolean;
}

export interface FoundPage extends SearchPage {
  readonly asOf: number;
  /** Of the lake; null if it changed during the search. */
  readonly version: number | null;
}

export interface HeavyReadsDeps {
  readonly cache: LakeCache;
  /** Real time. */
  readonly clock: Clock;
  readonly limits?: Partial<ReadLimits> | undefined;
}

/** Reads that may be slow. Those of many rows run off the main thread. */
export class HeavyReads {
  readonly lists: ListCache;
  readonly #lake: Lake;
  readonly #clock: Clock;
  readonly #rowsHere: number;
  readonly #threads: ReaderThreads;

  constructor(lake: Lake, { cache, clock, limits }: HeavyReadsDeps) {
    const { rowsHere, ...options } = { ...LIMITS, clock, ...limits };
    this.#lake = lake;
    this.#clock = options.clock;
    this.#rowsHere = rowsHere;
    this.#threads = new ReaderThreads({ ...options, dataDir: lake.dataDir });
    this.lists = new ListCache(lake, (query, by) => this.read('list', query, by), cache);
  }

  async read<Name extends Reading>(
    name: Name,
    query: QueryOf<Name>,
    requester: Requester,
  ): Promise<FoundOf<Name>> {
    const most = this.#rowsHere + 1;
    const isFew = (): boolean => (ROWS_AT_MOST[name]?.(this.#lake, query, most) ?? most) < most;
    const wanted = { name, query } as ReadQuery;
    const isHere = requester.isPage !== true && isFew();
    const found = isHere
      ? readNow(this.#lake, wanted, this.#clock)
      : this.#threads.read(wanted, requester);
    return (await found) as FoundOf<Name>; // the name determines the type
  }

  async search({ windowMs, gone, owner, isPage, ...wish }: SearchWish): Promise<FoundPage> {
    const since = windowMs === undefined ? undefined : wish.asOf - windowMs;
    const query = { ...wish, since, deadlineMs: SEARCH_MS };
    const version = lakeVersion(this.#lake);
    const found = await this.read('search', query, { owner, unwanted: gone(), isPage });
    const isSure = !found.isCutOff && lakeVersion(this.#lake) === version;
    return { ...found, asOf: query.asOf, version: isSure ? version : null };
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
