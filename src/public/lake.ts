import {
  type EventKind,
  PERIODS,
  type Period,
  PLATFORMS,
  type Platform,
} from '../../schema/vocabulary.ts';
import { systemClock } from '../base/clock.ts';
import { rangeMs } from '../base/durations.ts';
import { UsageError } from '../base/errors.ts';
import { isoOf, parseIso } from '../base/iso.ts';
import { plainHandle } from '../base/wire/folding.ts';
import type { ContentItem, GrowthCurve, HashtagItem } from '../base/wire/shapes.ts';
import { eventsPage, shownEvent } from '../lake/lists/event-list.ts';
import { hashtagsPage } from '../lake/lists/hashtag-list.ts';
import type { ComputedLists, ListPage } from '../lake/lists/list-page.ts';
import { UncachedLists } from '../lake/lists/uncached-lists.ts';
import { feedPage, trendsPage } from '../lake/lists/video-lists.ts';
import { type Lake, openLakeForReading } from '../lake/open.ts';
import { creatorProfile, knownProfile } from '../lake/read/creator-profile.ts';
import { videoByIdAsOf, videoRecord } from '../lake/read/timeline.ts';
import { videoGrowth } from '../lake/read/video-growth.ts';
import { searchPage } from '../lake/search/search-page.ts';

// `trendlake/lake`: a lake read as of an instant, by the functions that the service answers with.

export type { ContentItem, EventKind, GrowthCurve, HashtagItem, Period, Platform };

/** ISO 8601, a Date or Unix milliseconds. */
export type Instant = string | Date | number;

/** When a read is true. Absent: now. */
export interface AsOf {
  readonly asOf?: Instant;
}

/** Part of a list; pages start at 1. `limit` is 50 by default. */
export interface Part extends AsOf {
  readonly limit?: number;
  readonly page?: number;
}

/** A part of a list. `asOf` is the instant it is true at, ISO 8601. */
export interface Page<T> {
  readonly total: number;
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
}

/** A creator as known at an instant; unknown numbers are null. */
export interface Creator {
  readonly platform: Platform;
  readonly handle: string;
  readonly followers: number | null;
  readonly videoCount: number | null;
  readonly views: number | null;
  readonly likes: number | null;
  readonly engagementRate: number | null;
  readonly videos: ContentItem[];
  readonly growth: {
    readonly at: string;
    readonly followers: number | null;
    readonly views: number | null;
    readonly likes: number | null;
  }[];
}

/** Something noticed, as `GET /events` lists it; instants are ISO 8601. */
export interface NoticedEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly platform: Platform | null;
  readonly subject: string;
  readonly occurredAt: string;
  readonly detectedAt: string;
  readonly data: unknown;
}

const DEFAULT_LIMIT = 50;
const SEARCH_DEADLINE_MS = 2000;

const windowOf = (dateRange: string): number => {
  const windowMs = rangeMs(dateRange);
  if (windowMs === undefined)
    throw new UsageError(
      `dateRange must be a span such as 24h, 7d or 4w, at most 366 days; it is "${dateRange}".`,
    );
  return windowMs;
};

const known = <T extends string>(what: string, value: string, values: readonly T[]): T => {
  const found = values.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`${what} must be one of ${values.join(', ')}; it is "${value}".`);
  return found;
};

const whole = (what: string, value: number): number => {
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`${what} must be a whole number from 1; it is ${value}.`);
  return value;
};

/**
 * A lake open for reading. Writers go on meanwhile; each method reads one state of the lake. An
 * instant in the past gives what was known then, as the service's `asOf` does.
 */
export class LakeReader {
  readonly #lake: Lake;
  readonly #lists: ComputedLists;

  /** Use `openLake`. @internal */
  constructor(lake: Lake) {
    this.#lake = lake;
    this.#lists = new UncachedLists(lake, systemClock);
  }

  /** The feed of a platform: as pulled where the lake holds that `dateRange` (`24h` unless given). */
  async feed(
    platform: Platform,
    options: Part & { readonly dateRange?: string } = {},
  ): Promise<Page<ContentItem>> {
    const { dateRange = '24h' } = options;
    const windowMs = windowOf(dateRange);
    const list = { platform: known('platform', platform, PLATFORMS), dateRange, windowMs };
    return page(await feedPage(this.#lists, { ...moment(options), ...list }));
  }

  /** Trends of a day, a week or a month. */
  async trends(platform: Platform, period: Period, options: Part = {}): Promise<Page<ContentItem>> {
    const list = {
      platform: known('platform', platform, PLATFORMS),
      period: known('period', period, PERIODS),
    };
    return page(await trendsPage(this.#lists, { ...moment(options), ...list }));
  }

  /** Tags by volume inside `dateRange` (`30d` unless given), of one platform or of all. */
  async hashtags(
    options: Part & { readonly platform?: Platform; readonly dateRange?: string } = {},
  ): Promise<Page<HashtagItem>> {
    const { dateRange = '30d', platform } = options;
    return page(
      await hashtagsPage(this.#lists, {
        ...moment(options),
        ...(platform === undefined ? {} : { platform: known('platform', platform, PLATFORMS) }),
        dateRange,
        windowMs: windowOf(dateRange),
      }),
    );
  }

  /** One video, or undefined where it had not been seen. */
  video(id: string, options: AsOf = {}): ContentItem | undefined {
    const asOf = instant(options);
    const found = videoByIdAsOf(this.#lake, id, asOf);
    return found === undefined ? undefined : videoRecord(this.#lake, found.key, asOf);
  }

  /** A video's snapshots, oldest first, and its curve; undefined where it had not been seen. */
  growth(id: string, options: AsOf = {}): Growth | undefined {
    const asOf = instant(options);
    const found = videoByIdAsOf(this.#lake, id, asOf);
    if (found === undefined) return undefined;
    return { id, platform: found.platform, ...videoGrowth(this.#lake, found.key, asOf) };
  }

  /** A creator with a page of their videos, or undefined where they had not been seen. */
  creator(platform: Platform, handle: string, options: Part = {}): Creator | undefined {
    const { limit, page: number, asOf } = moment(options);
    const found = creatorProfile(this.#lake, {
      platform: known('platform', platform, PLATFORMS),
      handle: plainHandle(handle),
      asOf,
      limit,
      page: number,
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
    const { limit, page: number, asOf } = moment(options);
    const { platform, dateRange } = options;
    const since = dateRange === undefined ? undefined : asOf - windowOf(dateRange);
    const { total, items } = searchPage(
      this.#lake,
      { q, platform, since, limit, page: number, asOf, deadlineMs: SEARCH_DEADLINE_MS },
      { clock: systemClock },
    );
    return { total, items, asOf: isoOf(asOf) };
  }

  /** Noticed events, newest first; with `since` those that occurred at or after it. */
  events(
    options: Part & {
      readonly kind?: EventKind;
      readonly platform?: Platform;
      readonly since?: Instant;
    } = {},
  ): Page<NoticedEvent> {
    const { limit, page: number, asOf } = moment(options);
    const { kind, platform, since } = options;
    const { total, items } = eventsPage(this.#lake, {
      ...(kind === undefined ? {} : { kind }),
      ...(platform === undefined ? {} : { platform }),
      ...(since === undefined ? {} : { since: instantOf('since', since) }),
      limit,
      page: number,
      asOf,
    });
    const shown = items.map(shownEvent).map(({ origin: _, ...event }) => event);
    return { total, items: shown, asOf: isoOf(asOf) };
  }

  close(): void {
    this.#lake.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const instantOf = (what: string, given: Instant): number => {
  const at = typeof given === 'string' ? parseIso(given) : Number(given);
  if (at === undefined || !Number.isFinite(at))
    throw new UsageError(
      `${what} must be ISO 8601 such as 2026-11-20T12:00:00Z, a Date or Unix milliseconds; it is "${String(given)}".`,
    );
  return at;
};

const instant = ({ asOf }: AsOf): number =>
  asOf === undefined ? systemClock.now() : instantOf('asOf', asOf);

const moment = ({ limit = DEFAULT_LIMIT, page: number = 1, ...options }: Part) => ({
  limit: whole('limit', limit),
  page: whole('page', number),
  asOf: instant(options),
  isNow: options.asOf === undefined,
  owner: '',
});

const page = <T>(list: ListPage<T>): Page<T> => ({
  total: list.total,
  items: list.items(),
  asOf: isoOf(list.asOf),
});

/**
 * Opens the lake of a data directory read-only. Several may be open beside a writer.
 * @throws UsageError if there is no lake; LakeError for a damaged one
 */
export const openLake = (dataDir: string): LakeReader =>
  new LakeReader(openLakeForReading(dataDir));
