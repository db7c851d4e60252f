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
import {
  type ForecastStanding,
  forecastsAtMost,
  standingName,
} from '../../learn/forecast/standing.ts';
import { ALWAYS, isStillTrue, type LakeCache, type Shelf, type Validity } from './lake-cache.ts';
import { ListCache, type PricedList } from './list-cache.ts';
import { cachedCounts } from './match-counts.ts';
import {
  type FoundOf,
  type PageQuery,
  type PageReading,
  type QueryOf,
  type Rising,
  readForPage,
} from './page-readings.ts';
import { type ReaderOptions, ReaderThread, type Requester } from './reader-thread.ts';
import { SharedWork } from './shared-work.ts';

/** Bounds of what a request may cost the others, and of the threads that read. */
export interface ReadLimits extends Omit<ReaderOptions, 'dataDir' | 'kind'> {
  /** Reads of at most so many rows run on the spot, some 10 ms. Others go to a thread. */
  readonly rowsHere: number;
}

const LIMITS: Omit<ReadLimits, 'clock'> = {
  rowsHere: 10_000,
  deadlineMs: MINUTE_MS,
  idleMs: MINUTE_MS,
  queueMost: 300, // what a key of tier scale may send at once; none waits longer than 45 s
  heapMib: 64,
};

/** Whose share of the thread the lists take that nobody has asked for yet. */
const AHEAD = 'ahead';
const FIRST_PAGE = { from: 0, count: 50 };
/** The lists of the interface by their default windows, and the period each is pulled by. */
const COMMON: readonly (ListQuery & { readonly period: string })[] = [
  ...PLATFORMS.map(
    (platform) => ({ list: 'feed', platform, windowMs: DAY_MS, period: '24h' }) as const,
  ),
  ...PERIODS.flatMap((period) =>
    PLATFORMS.map((platform) => ({ list: 'trends', platform, period }) as const),
  ),
  { list: 'hashtags', platform: '', windowMs: 30 * DAY_MS, period: '30d' },
];

/** About what the standing of forecasts takes. */
const STANDING_BYTES = 50_000;

/** After this long a search gives what it found until then. */
const SEARCH_MS = 2 * SECOND_MS;

/** What to search for, as of an instant (Unix ms); `windowMs`: published inside the window before it. */
export interface SearchWish
  extends Pick<SearchQuery, 'q' | 'platform' | 'limit' | 'page' | 'asOf'> {
  readonly windowMs: number | undefined;
  /** True when `asOf` is only the present. */
  readonly isNow: boolean;
  /** Tells when whoever asks has gone. */
  readonly gone: () => AbortSignal;
  /** Whose share of the thread it takes. */
  readonly owner: string;
  /** It is part of a page: searched for in the thread, however small the lake. */
  readonly isPage?: boolean;
}

/** A page of matches, true at `asOf`; `version` of the lake, null when it was written to meanwhile. */
export interface FoundPage extends SearchPage {
  readonly asOf: number;
  readonly version: number | null;
}

/** What the reads are made over. */
export interface HeavyReadsDeps {
  readonly cache: LakeCache;
  /** Time of the machine, whatever time the service shows. */
  readonly clock: Clock;
  readonly limits?: Partial<ReadLimits> | undefined;
}

/** What is expected, and how far that can be trusted. */
export interface ForecastsFound {
  readonly rising: Rising;
  readonly standing: ForecastStanding;
}

/** Who wants something, and whether it is read on the spot where it is for no page. */
export interface PageRequester extends Requester {
  readonly isCheap?: boolean;
}

/**
 * What of one lake may take long and holds up nobody: lists of videos, lists of hashtags, searches and
 * what pages read have a thread each, so that none waits for the others; the first list of hashtags alone
 * takes the thread of videos where that is up and idle.
 */
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
  readonly #standings: Shelf<Validity & { readonly standing: ForecastStanding }>;
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
    this.#standings = cache.shelf();
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

  /** A page of matches; one searched for by several at the same time is searched for once. */
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

  /** What a page or a route reads: in a thread, or on the spot where it is cheap and for no page. */
  async forPage<Name extends PageReading>(
    query: Extract<PageQuery, { name: Name }>,
    { isCheap = false, ...requester }: PageRequester,
  ): Promise<FoundOf<Name>> {
    const found =
      isCheap && requester.isPage !== true
        ? readForPage<PageReading>(this.#lake, query)
        : await this.#pageThread.read(query, requester);
    return found as FoundOf<Name>; // a reading's name goes with what it finds
  }

  /** A page of what was noticed: where many events can match, counting them takes long. */
  events(query: QueryOf<'events'>, by: Requester): Promise<FoundOf<'events'>> {
    const { rowsHere } = this.#options;
    const isCheap = eventsAtMost(this.#lake, query, rowsHere + 1) <= rowsHere;
    return this.forPage({ name: 'events', query }, { ...by, isCheap });
  }

  /** A page of creators, who are put in order by all that was counted of them. */
  creators(query: QueryOf<'creators'>, by: Requester): Promise<FoundOf<'creators'>> {
    const { rowsHere } = this.#options;
    const isCheap = creatorCountsAtMost(this.#lake, rowsHere + 1) <= rowsHere;
    return this.forPage({ name: 'creators', query }, { ...by, isCheap });
  }

  /** What the lake's numbers say of a video: it is held against some ten thousand others. */
  findings(query: QueryOf<'findings'>, by: Requester): Promise<FoundOf<'findings'>> {
    const isCheap = videosAtMost(this.#lake) <= this.#options.rowsHere;
    return this.forPage({ name: 'findings', query }, { ...by, isCheap });
  }

  /** A page of what one subscription was told. */
  deliveries(
    query: QueryOf<'deliveries'> & { readonly subscriptionId: string },
    by: Requester,
  ): Promise<FoundOf<'deliveries'>> {
    const { rowsHere } = this.#options;
    const many = deliveriesAtMost(this.#lake, query.subscriptionId, rowsHere + 1);
    return this.forPage({ name: 'deliveries', query }, { ...by, isCheap: many <= rowsHere });
  }

  /** What is expected to rise as of an instant, and how far that can be trusted: from memory while still true. */
  async forecasts(query: QueryOf<'rising'>, by: Requester): Promise<ForecastsFound> {
    const { sqlite } = this.#lake;
    const moment = { version: lakeVersion(this.#lake), at: query.at };
    const most = this.#options.rowsHere / 10;
    const requester = { ...by, isCheap: forecastsAtMost(sqlite, most + 1) <= most };
    const rising = await this.forPage({ name: 'rising', query }, requester);
    const name = standingName(sqlite, query.at);
    const held = this.#standings.get(name);
    if (held !== undefined && isStillTrue(held, moment)) return { rising, standing: held.standing };
    const standing = await this.forPage({ name: 'standing', query: query.at }, requester);
    const version = lakeVersion(this.#lake) === moment.version ? moment.version : null;
    this.#standings.set(name, { ...ALWAYS, version, standing }, STANDING_BYTES);
    return { rising, standing };
  }

  /** Starts the thread of lists if one is going to be computed ahead. */
  startAhead(asOf: number): void {
    if (COMMON.some((wanted) => this.#isAhead(wanted, asOf))) this.#listThread.start();
  }

  /**
   * Computes the lists that are asked for most and take long, one after another, so that after a start
   * few wait for them; not those that are answered as they were pulled. Each is one turn of the thread,
   * between those of whoever asks meanwhile.
   */
  async computeAhead(asOf: number): Promise<void> {
    try {
      for (const wanted of COMMON)
        if (this.#isAhead(wanted, asOf))
          await this.lists.part({ wanted, asOf, ...FIRST_PAGE, isNow: true, owner: AHEAD });
    } catch {
      // whoever asks for it is told; or the service is stopping
    }
  }

  /** Gives up what is under way. */
  async close(): Promise<void> {
    const threads = [this.#listThread, this.#tagThread, this.#searchThread, this.#pageThread];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  /** Hashtags' own thread starts with their second list: the first, if it can, takes the one that is up. */
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
