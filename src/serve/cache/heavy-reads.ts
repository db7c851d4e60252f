import { PERIODS, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { deliveriesAtMost } from '../../alerts/webhooks/deliveries.ts';
import type { Clock } from '../../base/clock.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import {
  type ComputedList,
  type ListQuery,
  type ListRowsQuery,
  snapshotsOf,
} from '../../lake/lists/computed-list.ts';
import { creatorCountsAtMost } from '../../lake/lists/creator-lists.ts';
import { eventsAtMost } from '../../lake/lists/event-list.ts';
import { latestPulled } from '../../lake/lists/pulled-list.ts';
import { videosAtMost } from '../../lake/lists/window-snapshots.ts';
import type { Lake } from '../../lake/open.ts';
import type { SearchQuery } from '../../lake/search/search.ts';
import { type SearchPage, searchPage } from '../../lake/search/search-page.ts';
import {
  type ForecastStanding,
  forecastsAtMost,
  risingUntil,
  standingName,
} from '../../learn/forecast/standing.ts';
import { HORIZONS } from '../../learn/model/horizons.ts';
import { ALWAYS, isStillTrue, type LakeCache, type Shelf, type Validity } from './lake-cache.ts';
import { ListCache } from './list-cache.ts';
import {
  type FoundOf,
  type PageQuery,
  type PageReading,
  type QueryOf,
  type Rising,
  readForPage,
} from './page-readings.ts';
import {
  type PageRequester,
  type ReaderOptions,
  ReaderThread,
  type Requester,
} from './reader-thread.ts';
import { SharedWork } from './shared-work.ts';

/** Limits of slow reads. */
export interface ReadLimits extends Omit<ReaderOptions, 'dataDir' | 'kind'> {
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

/** Owner of precomputed lists. */
const AHEAD = 'ahead';
const FIRST_PAGE = { from: 0, count: 50 };
/** Lists with default windows, and the period of their pulled form. */
const COMMON: readonly (ListQuery & { readonly period: string })[] = [
  ...PLATFORMS.map(
    (platform) => ({ list: 'feed', platform, windowMs: DAY_MS, period: '24h' }) as const,
  ),
  ...PERIODS.flatMap((period) =>
    PLATFORMS.map((platform) => ({ list: 'trends', platform, period }) as const),
  ),
  { list: 'hashtags', platform: '', windowMs: 30 * DAY_MS, period: '30d' },
];

/** A search returns partial results after this time. */
const SEARCH_MS = 2 * SECOND_MS;

/** Rows of a list of rising videos on a page. */
export const RISING_SHOWN = 20;

/** The lists of a platform on the forecasts page. */
export const risingOf = (
  platform: Platform,
  hours: (typeof HORIZONS)[number],
  at: number,
): QueryOf<'rising'> => ({ platform, hours, limit: RISING_SHOWN, tagsOf: [platform, ''], at });

export interface ForecastsFound {
  readonly rising: Rising;
  readonly standing: ForecastStanding;
}

export interface SearchWish
  extends Pick<SearchQuery, 'q' | 'platform' | 'limit' | 'page' | 'asOf'> {
  /** Videos published in this window before `asOf`. */
  readonly windowMs: number | undefined;
  readonly gone: () => AbortSignal;
  readonly owner: string;
  /** Pages always search in the thread. */
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

/** Slow reads, off the main thread. Lists, searches and pages have one thread each. */
export class HeavyReads {
  readonly lists: ListCache;
  readonly #lake: Lake;
  readonly #options: ReadLimits;
  readonly #listThread: ReaderThread<'lists'>;
  readonly #searchThread: ReaderThread<'search'>;
  readonly #pageThread: ReaderThread<'pages'>;
  readonly #searches = new SharedWork<FoundPage>();
  readonly #forecasts: Shelf<Validity & { readonly found: Rising | ForecastStanding }>;

  constructor(lake: Lake, { cache, clock, limits }: HeavyReadsDeps) {
    this.#lake = lake;
    this.#options = { ...LIMITS, clock, ...limits };
    const { rowsHere: _, ...options } = this.#options;
    const ofLake = { ...options, dataDir: lake.dataDir };
    this.#listThread = new ReaderThread({ ...ofLake, kind: 'lists' });
    this.#searchThread = new ReaderThread({ ...ofLake, kind: 'search' });
    this.#pageThread = new ReaderThread({ ...ofLake, kind: 'pages' });
    this.#forecasts = cache.shelf();
    this.lists = new ListCache(lake, (query, by) => this.#computeList(query, by), cache);
  }

  async #computeList(query: ListRowsQuery, by: Requester): Promise<ComputedList> {
    return this.#isCheapList(query)
      ? this.forPage({ name: 'list', query }, { ...by, isCheap: true })
      : this.#listThread.read(query, by);
  }

  /** Concurrent requests share a search. */
  async search({ windowMs, gone, owner, isPage, ...wish }: SearchWish): Promise<FoundPage> {
    const since = windowMs === undefined ? undefined : wish.asOf - windowMs;
    const query = { ...wish, since, deadlineMs: SEARCH_MS };
    const version = lakeVersion(this.#lake);
    if (isPage !== true && this.#isFew(videosAtMost(this.#lake))) {
      const found = searchPage(this.#lake, query, this.#options.clock);
      return { ...found, asOf: query.asOf, version: found.isCutOff ? null : version };
    }
    const search = async (unwanted: AbortSignal): Promise<FoundPage> => {
      const found = await this.#searchThread.read(query, { owner, unwanted });
      const isSure = !found.isCutOff && lakeVersion(this.#lake) === version;
      return { ...found, asOf: query.asOf, version: isSure ? version : null };
    };
    return this.#searches.do(JSON.stringify({ ...wish, windowMs, version }), search, gone());
  }

  async forPage<Name extends PageReading>(
    query: Extract<PageQuery, { name: Name }>,
    { isCheap = false, ...requester }: PageRequester,
  ): Promise<FoundOf<Name>> {
    const found =
      isCheap && requester.isPage !== true
        ? readForPage<PageReading>(this.#lake, query)
        : await this.#pageThread.read(query, requester);
    return found as FoundOf<Name>; // the name determines the type
  }

  /** Counting many matching events is slow. */
  events(query: QueryOf<'events'>, by: Requester): Promise<FoundOf<'events'>> {
    const isCheap = this.#isFew(eventsAtMost(this.#lake, query, this.#most));
    return this.forPage({ name: 'events', query }, { ...by, isCheap });
  }

  /** Ordering creators reads all their counts. */
  creators(query: QueryOf<'creators'>, by: Requester): Promise<FoundOf<'creators'>> {
    const isCheap = this.#isFew(creatorCountsAtMost(this.#lake, this.#most));
    return this.forPage({ name: 'creators', query }, { ...by, isCheap });
  }

  /** Compares a video with about ten thousand others. */
  findings(query: QueryOf<'findings'>, by: Requester): Promise<FoundOf<'findings'>> {
    const isCheap = this.#isFew(videosAtMost(this.#lake));
    return this.forPage({ name: 'findings', query }, { ...by, isCheap });
  }

  deliveries(
    query: QueryOf<'deliveries'> & { readonly subscriptionId: string },
    by: Requester,
  ): Promise<FoundOf<'deliveries'>> {
    const isCheap = this.#isFew(deliveriesAtMost(this.#lake, query.subscriptionId, this.#most));
    return this.forPage({ name: 'deliveries', query }, { ...by, isCheap });
  }

  /** Forecasts, with their track record. Both are cached until the lake or the time changes them. */
  async forecasts(query: QueryOf<'rising'>, by: Requester): Promise<ForecastsFound> {
    const { at, ...rest } = query;
    const { sqlite } = this.#lake;
    const few = Math.floor(this.#options.rowsHere / 10);
    const requester = { ...by, isCheap: forecastsAtMost(sqlite, few + 1) <= few };
    const rising = await this.#cached(JSON.stringify(rest), at, async () => ({
      from: at,
      until: risingUntil(sqlite, at),
      found: await this.forPage({ name: 'rising', query }, requester),
    }));
    const standing = await this.#cached(standingName(sqlite, at), at, async () => ({
      ...ALWAYS,
      found: await this.forPage({ name: 'standing', query: at }, requester),
    }));
    return { rising, standing };
  }

  /**
   * Precomputes slow common lists and the track record of forecasts, one after another. Pulled lists
   * need none. Requests run in between.
   */
  async computeAhead(asOf: number): Promise<void> {
    try {
      for (const wanted of COMMON)
        if (this.#isSlowAndComputed(wanted, asOf))
          await this.lists.part({ wanted, asOf, ...FIRST_PAGE, owner: AHEAD });
      const by = { owner: AHEAD, unwanted: new AbortController().signal };
      for (const platform of PLATFORMS)
        for (const hours of HORIZONS) await this.forecasts(risingOf(platform, hours, asOf), by);
    } catch {
      // the service is stopping, or a request will get the error
    }
  }

  async close(): Promise<void> {
    const threads = [this.#listThread, this.#searchThread, this.#pageThread];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  /** Rows are counted up to this number. */
  get #most(): number {
    return this.#options.rowsHere + 1;
  }

  #isFew(rows: number): boolean {
    return rows <= this.#options.rowsHere;
  }

  #isCheapList(query: Pick<ListRowsQuery, 'wanted' | 'asOf'>): boolean {
    return this.#isFew(snapshotsOf(this.#lake, query, this.#most));
  }

  #isSlowAndComputed(wanted: (typeof COMMON)[number], asOf: number): boolean {
    const isPulled = latestPulled(this.#lake, wanted, asOf) !== undefined;
    return !isPulled && !this.#isCheapList({ wanted, asOf });
  }

  async #cached<T extends Rising | ForecastStanding>(
    name: string,
    at: number,
    read: () => Promise<Pick<Validity, 'from' | 'until'> & { readonly found: T }>,
  ): Promise<T> {
    const version = lakeVersion(this.#lake);
    const held = this.#forecasts.get(name);
    if (held !== undefined && isStillTrue(held, { version, at })) return held.found as T; // by its name
    const value = await read();
    if (lakeVersion(this.#lake) === version)
      this.#forecasts.set(name, { ...value, version }, 2 * JSON.stringify(value.found).length);
    return value.found;
  }
}
