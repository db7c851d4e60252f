import {
  EVENT_KINDS,
  type EventKind,
  PERIODS,
  type Period,
  type Platform,
} from '../../schema/vocabulary.ts';
import { countHits, listAlerts, newestHits } from '../alerts/rules/alert-store.ts';
import { systemClock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { isoOf } from '../base/iso.ts';
import { plainHandle } from '../base/wire/folding.ts';
import type { ContentItem, GrowthCurve, HashtagItem } from '../base/wire/shapes.ts';
import { eventsPage } from '../lake/lists/event-list.ts';
import { hashtagsPage } from '../lake/lists/hashtag-list.ts';
import {
  type ComputedLists,
  type ListPage,
  totalsOf,
  UncachedLists,
} from '../lake/lists/list-page.ts';
import { feedPage, trendsPage } from '../lake/lists/video-lists.ts';
import { type Lake, openLakeForReading } from '../lake/open.ts';
import { creatorProfile } from '../lake/read/creator-profile.ts';
import { knownProfile } from '../lake/read/shown-profile.ts';
import { videoByIdAsOf, videoRecord } from '../lake/read/timeline.ts';
import { videoGrowth } from '../lake/read/video-growth.ts';
import { searchPage } from '../lake/search/search.ts';
import { listWatches } from '../lake/watches/watches.ts';
import { risingPage, shownForecast } from '../learn/forecast/read.ts';
import {
  RISING_LISTS,
  type RisingList,
  type RisingPage,
  type ShownForecast,
} from '../learn/forecast/shapes.ts';
import {
  type AsOf,
  asOfOf,
  type Instant,
  instantOf,
  known,
  type Part,
  partOf,
  platformOf,
  rangeOf,
} from './arguments.ts';
import { type NoticedEvent, noticedEvent } from './events.ts';
import {
  type AlertRecord,
  alertRecord,
  type FiredRow,
  firedRow,
  type WatchRecord,
  watchRecord,
} from './saved.ts';

// `trendlake/lake`: a lake read as of an instant, by the functions that the service answers with.

export type {
  AlertRecord,
  AsOf,
  ContentItem,
  EventKind,
  FiredRow,
  GrowthCurve,
  HashtagItem,
  Instant,
  NoticedEvent,
  Part,
  Period,
  Platform,
  WatchRecord,
};

/** A part of a list. `asOf` is the instant it is true at, ISO 8601. */
export interface Page<T> {
  /** Items that can be paged to. */
  readonly total: number;
  /** Matching items as the API stated them, if more than `total`. */
  readonly matched?: number;
  readonly items: T[];
  readonly asOf: string;
}

/** Counts of a video at one instant (ISO 8601); unknown ones are null, rates in percent. */
export interface VideoSnapshot {
  readonly at: string;
  readonly views: number | null;
  readonly likes: number | null;
  readonly engagementRate: number | null;
}

/** Growth of a video. */
export interface Growth {
  readonly id: string;
  readonly platform: Platform;
  readonly snapshots: VideoSnapshot[];
  readonly curve: GrowthCurve;
  /** Forecast as of then; null without one. */
  readonly forecast: Forecast | null;
}

/** Forecast of a video, made from its snapshot at `madeAt`. */
export type Forecast = ShownForecast;

/** A video that rises, with its expected views. `rank` counts over all pages; instants ISO 8601. */
export type ForecastVideo = RisingPage['items'][number];

/** A creator as known at an instant; unknown numbers are null. */
export type Creator = ReturnType<typeof knownProfile>;

const MOST_OF_PAGE = 100;
const SEARCH_DEADLINE_MS = 2000;

/**
 * A lake open for reading. Writers go on meanwhile; each method reads one state of the lake. An
 * instant in the past gives what was known then, as the service's `asOf` does.
 */
export class LakeReader {
  readonly #opened: Lake;
  readonly #computed: ComputedLists;

  /** Use `openLake`. @internal */
  constructor(lake: Lake) {
    this.#opened = lake;
    this.#computed = new UncachedLists(lake);
  }

  /** The feed of a platform: as pulled where the lake holds that `dateRange` (`24h` unless given). */
  async feed(
    platform: Platform,
    options: Part & { readonly dateRange?: string } = {},
  ): Promise<Page<ContentItem>> {
    const { dateRange = '24h' } = options;
    const list = { platform: platformOf(platform), ...rangeOf(dateRange) };
    return page(await feedPage(this.#lists, { ...partOf(options, systemClock.now()), ...list }));
  }

  /** Trends of a day, a week or a month. */
  async trends(platform: Platform, period: Period, options: Part = {}): Promise<Page<ContentItem>> {
    const list = { platform: platformOf(platform), period: known('period', period, PERIODS) };
    return page(await trendsPage(this.#lists, { ...partOf(options, systemClock.now()), ...list }));
  }

  /** Tags by volume inside `dateRange` (`30d` unless given), of one platform or of all. */
  async hashtags(
    options: Part & { readonly platform?: Platform; readonly dateRange?: string } = {},
  ): Promise<Page<HashtagItem>> {
    const { dateRange = '30d', platform } = options;
    return page(
      await hashtagsPage(this.#lists, {
        ...partOf(options, systemClock.now()),
        ...(platform === undefined ? {} : { platform: platformOf(platform) }),
        ...rangeOf(dateRange),
      }),
    );
  }

  /** One video, or undefined where it had not been seen. */
  video(id: string, options: AsOf = {}): ContentItem | undefined {
    const asOf = asOfOf(options, systemClock.now());
    const found = videoByIdAsOf(this.#lake, id, asOf);
    return found === undefined ? undefined : videoRecord(this.#lake, found.key, asOf);
  }

  /** A video's snapshots, oldest first, and its curve; undefined where it had not been seen. */
  growth(id: string, options: AsOf = {}): Growth | undefined {
    const asOf = asOfOf(options, systemClock.now());
    const found = videoByIdAsOf(this.#lake, id, asOf);
    if (found === undefined) return undefined;
    const forecast = shownForecast(this.#lake.sqlite, found.key, asOf);
    return {
      id,
      platform: found.platform,
      forecast,
      ...videoGrowth(this.#lake, found.key, asOf),
    };
  }

  /** A creator with a page of their videos, or undefined where they had not been seen. */
  creator(platform: Platform, handle: string, options: Part = {}): Creator | undefined {
    const part = partOf(options, systemClock.now());
    const found = creatorProfile(this.#lake, {
      platform: platformOf(platform),
      handle: plainHandle(handle),
      ...part,
    });
    return found === undefined ? undefined : knownProfile(platform, found);
  }

  /**
   * Videos that words match, best first: words are and-ed, `"phrases"`, `prefix*` and `-without` work.
   * Of all times unless `dateRange` is given. `total` is a lower bound where counting took too long.
   */
  search(
    q: string,
    options: Part & { readonly platform?: Platform; readonly dateRange?: string } = {},
  ): Page<ContentItem> {
    const part = partOf(options, systemClock.now());
    if (q.trim() === '') throw new UsageError('q must be at least one word; it is empty.');
    const { platform, dateRange } = options;
    const since = dateRange === undefined ? undefined : part.asOf - rangeOf(dateRange).windowMs;
    const { total, items } = searchPage(
      this.#lake,
      {
        q,
        platform: platform && platformOf(platform),
        since,
        ...part,
        deadlineMs: SEARCH_DEADLINE_MS,
      },
      systemClock,
    );
    return { total, items, asOf: isoOf(part.asOf) };
  }

  /** Noticed events, newest first; with `since` those that occurred at or after it. */
  events<Kind extends EventKind = EventKind>(
    options: Part & {
      readonly kind?: Kind;
      readonly platform?: Platform;
      readonly since?: Instant;
    } = {},
  ): Page<NoticedEvent<Kind>> {
    const part = partOf(options, systemClock.now());
    const { kind, platform, since } = options;
    const { total, items } = eventsPage(this.#lake, {
      ...(kind === undefined ? {} : { kind: known('kind', kind, EVENT_KINDS) }),
      ...(platform === undefined ? {} : { platform: platformOf(platform) }),
      ...(since === undefined ? {} : { since: instantOf('since', since) }),
      ...part,
    });
    return {
      total,
      items: items.map((event) => noticedEvent<Kind>(event)),
      asOf: isoOf(part.asOf),
    };
  }

  /** Watches, oldest first; with `tag` those that have it. */
  watches(filter: { readonly tag?: string } = {}): WatchRecord[] {
    return listWatches(this.#lake, filter).map(watchRecord);
  }

  /** Alerts by name. */
  alerts(): AlertRecord[] {
    return listAlerts(this.#lake).map(alertRecord);
  }

  /** Rows of one alert or of all that fired, newest first. */
  alertHits(options: Part & { readonly name?: string } = {}): Page<FiredRow> {
    const part = partOf(options, systemClock.now());
    const wanted = { name: options.name ?? null, ...part };
    const items = newestHits(this.#lake, wanted).map(firedRow);
    return { total: countHits(this.#lake, wanted), items, asOf: isoOf(part.asOf) };
  }

  /**
   * Videos of a platform by probability to finish in the top 10 % by growth: `next` (default) those not
   * there yet, `risen` those already there. Expected views are those in 24 hours.
   */
  forecasts(
    platform: Platform,
    options: Part & { readonly list?: RisingList } = {},
  ): Page<ForecastVideo> {
    const part = partOf(options, systemClock.now());
    const list = known('list', options.list ?? 'next', RISING_LISTS);
    const of = { platform: platformOf(platform), list, hours: 24 } as const;
    const wanted = { ...of, ...part, at: part.asOf };
    const { total, items } = risingPage(this.#lake.sqlite, wanted);
    return { total, items: [...items], asOf: isoOf(part.asOf) };
  }

  /**
   * Every item of a list, page by page, as of one instant:
   * `for await (const video of lake.each((part) => lake.feed('tiktok', part)))`.
   */
  async *each<T>(
    read: (part: Required<Pick<Part, 'limit' | 'page' | 'asOf'>>) => Page<T> | Promise<Page<T>>,
    { asOf = systemClock.now(), limit = MOST_OF_PAGE }: Omit<Part, 'page'> = {},
  ): AsyncGenerator<T, void> {
    for (let number = 1; ; number++) {
      const { items, total } = await read({ limit, page: number, asOf });
      yield* items;
      // a page may lack rejected items, and the total of a search may be a lower bound
      if (items.length < limit && number * limit >= total) return;
    }
  }

  close(): void {
    if (this.#opened.sqlite.open) this.#opened.close();
  }

  get #lists(): ComputedLists {
    void this.#lake; // throws after close
    return this.#computed;
  }

  /** @throws UsageError after `close` */
  get #lake(): Lake {
    if (!this.#opened.sqlite.open)
      throw new UsageError('This lake was closed. Open it again with openLake.');
    return this.#opened;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const page = <T>(list: ListPage<T>): Page<T> => ({
  ...totalsOf(list),
  items: list.items,
  asOf: isoOf(list.asOf),
});

/**
 * Opens the lake of a data directory read-only. Several may be open beside a writer.
 * @throws UsageError if there is no lake; LakeError for a damaged one
 */
export const openLake = (dataDir: string): LakeReader =>
  new LakeReader(openLakeForReading(dataDir));
