import { PERIODS, PLATFORMS } from '../../../schema/vocabulary.ts';
import { deliveriesAtMost } from '../../alerts/webhooks/deliveries.ts';
import type { Clock } from '../../base/clock.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { type ListQuery, type ListRowsQuery, snapshotsOf } from '../../lake/lists/computed-list.ts';
import { creatorCountsAtMost } from '../../lake/lists/creator-lists.ts';
import { eventsAtMost } from '../../lake/lists/event-list.ts';
import { latestPulled } from '../../lake/lists/pulled-list.ts';
import { videosAtMost } from '../../lake/lists/window-snapshots.ts';
import type { Lake } from '../../lake/open.ts';
import type { CountMatches, SearchQuery } from '../../lake/search/search.ts';
import { type SearchPage, searchPage } from '../../lake/search/search-page.ts';
import { ForecastReads, type ForecastsFound } from './forecast-reads.ts';
import type { LakeCache } from './lake-cache.ts';
import { ListCache, type PricedList } from './list-cache.ts';
import { cachedCounts } from './match-counts.ts';
import {
  type FoundOf,
  type PageQuery,
  type PageReading,
  type QueryOf,
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

export interface SearchWish
  extends Pick<SearchQuery, 'q' | 'platform' | 'limit' | 'page' | 'asOf'> {
  /** Videos published in this window before `asOf`. */
  readonly windowMs: number | undefined;
  /** True if no `asOf` was requested. */
  readonly isNow: boolean;
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

/** Slow reads, off the main thread. Video lists, hashtag lists, searches and pages have one thread each. */
export class HeavyReads {
  readonly lists: ListCache;
  readonly #lake: Lake;
  readonly #options: ReadLimits;
  readonly #listThread: ReaderThread<'lists'>;
  readonly #tagThread: ReaderThread<'lists'>;
  readonly #searchThread: ReaderThread<'search'>;
  readonly #pageThread: ReaderThread<'pages'>;
  readonly #countMatches: CountMatches;
  readonly #searches = new SharedWork<FoundPage>();
  readonly #forecasts: ForecastReads;
  #hasReadTags = false;

  constructor(lake: Lake, { cache, clock, limits }: HeavyReadsDeps) {
    this.#lake = lake;
    this.#options = { ...LIMITS, clock, ...limits };
    const { rowsHere: _, ...options } = this.#options;
    const ofLake = { ...options, dataDir: lake.dataDir };
    this.#listThread = new ReaderThread({ ...ofLake, kind: 'lists' });
    this.#tagThread = new ReaderThread({ ...ofLake, kind: 'lists' });
    this.#searchThread = new ReaderThread({ ...ofLake, kind: 'search' });
    this.#pageThread = new ReaderThread({ ...ofLake, kind: 'pages' });
    this.#forecasts = new ForecastReads(lake, {
      cache,
      rowsHere: this.#options.rowsHere,
      readRising: (query, by) => this.forPage({ name: 'rising', query }, by),
      readStanding: (query, by) => this.forPage({ name: 'standing', query }, by),
    });
    this.#countMatches = cachedCounts(lake, cache);
    this.lists = new ListCache(lake, (query, requester) => this.#computeList(query, requester), {
      clock: options.clock,
      cache,
    });
  }

  async #computeList(query: ListRowsQuery, requester: Requester): Promise<PricedList> {
    if (!this.#isCheap(query)) return this.#threadOf(query.wanted).read(query, requester);
    const list = await this.forPage({ name: 'list', query }, { ...requester, isCheap: true });
    return { ...list, costMs: null };
  }

  /** Concurrent requests share a search. */
  async search({ windowMs, isNow, gone, owner, isPage, ...wish }: SearchWish): Promise<FoundPage> {
    const since = windowMs === undefined ? undefined : wish.asOf - windowMs;
    const query = { ...wish, since, deadlineMs: SEARCH_MS };
    const version = lakeVersion(this.#lake);
    if (isPage !== true && videosAtMost(this.#lake) <= this.#options.rowsHere) {
      const deps = { clock: this.#options.clock, countMatches: this.#countMatches };
      const found = searchPage(this.#lake, query, deps);
      return { ...found, asOf: query.asOf, version: found.isCutOff ? null : version };
    }
    const { asOf, ...words } = wish;
    const name = JSON.stringify({ ...words, windowMs, asOf: isNow ? 'now' : asOf, version });
    const elsewhere = (unwanted: AbortSignal): Promise<FoundPage> =>
      this.#searchElsewhere(query, { owner, unwanted });
    return this.#searches.do(name, elsewhere, gone());
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
    const { rowsHere } = this.#options;
    const isCheap = eventsAtMost(this.#lake, query, rowsHere + 1) <= rowsHere;
    return this.forPage({ name: 'events', query }, { ...by, isCheap });
  }

  /** Ordering creators reads all their counts. */
  creators(query: QueryOf<'creators'>, by: Requester): Promise<FoundOf<'creators'>> {
    const { rowsHere } = this.#options;
    const isCheap = creatorCountsAtMost(this.#lake, rowsHere + 1) <= rowsHere;
    return this.forPage({ name: 'creators', query }, { ...by, isCheap });
  }

  /** Compares a video with about ten thousand others. */
  findings(query: QueryOf<'findings'>, by: Requester): Promise<FoundOf<'findings'>> {
    const isCheap = videosAtMost(this.#lake) <= this.#options.rowsHere;
    return this.forPage({ name: 'findings', query }, { ...by, isCheap });
  }

  deliveries(
    query: QueryOf<'deliveries'> & { readonly subscriptionId: string },
    by: Requester,
  ): Promise<FoundOf<'deliveries'>> {
    const { rowsHere } = this.#options;
    const many = deliveriesAtMost(this.#lake, query.subscriptionId, rowsHere + 1);
    return this.forPage({ name: 'deliveries', query }, { ...by, isCheap: many <= rowsHere });
  }

  /** Forecasts, with their track record. Both are cached. */
  forecasts(query: QueryOf<'rising'>, by: Requester): Promise<ForecastsFound> {
    return this.#forecasts.find(query, by);
  }

  /** Starts the thread of lists if any needs precomputing. */
  startAhead(asOf: number): void {
    if (COMMON.some((wanted) => this.#isAhead(wanted, asOf))) this.#listThread.start();
  }

  /**
   * Precomputes slow common lists and the track record of forecasts, one after another. Pulled lists
   * need none. Requests run in between.
   */
  async computeAhead(asOf: number): Promise<void> {
    try {
      for (const wanted of COMMON)
        if (this.#isAhead(wanted, asOf))
          await this.lists.part({ wanted, asOf, ...FIRST_PAGE, isNow: true, owner: AHEAD });
      await this.#forecasts.computeAhead(asOf, AHEAD);
    } catch {
      // the service is stopping, or a request will get the error
    }
  }

  async close(): Promise<void> {
    const threads = [this.#listThread, this.#tagThread, this.#searchThread, this.#pageThread];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  /** The first hashtag list uses the thread of videos if that is idle, which saves starting another. */
  #threadOf({ list }: ListQuery): ReaderThread<'lists'> {
    if (list !== 'hashtags') return this.#listThread;
    const isFirst = !this.#hasReadTags;
    this.#hasReadTags = true;
    return isFirst && this.#listThread.isIdle ? this.#listThread : this.#tagThread;
  }

  #isAhead(wanted: (typeof COMMON)[number], asOf: number): boolean {
    const isPulled = latestPulled(this.#lake, wanted, asOf) !== undefined;
    return !isPulled && !this.#isCheap({ wanted, asOf, ...FIRST_PAGE });
  }

  #isCheap(query: ListRowsQuery): boolean {
    const { rowsHere } = this.#options;
    return snapshotsOf(this.#lake, query, rowsHere + 1) <= rowsHere;
  }

  async #searchElsewhere(query: SearchQuery, requester: Requester): Promise<FoundPage> {
    const before = lakeVersion(this.#lake);
    const found = await this.#searchThread.read(query, requester);
    const isSure = !found.isCutOff && lakeVersion(this.#lake) === before;
    return { ...found, asOf: query.asOf, version: isSure ? before : null };
  }
}
