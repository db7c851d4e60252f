import { LRUCache } from 'lru-cache';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, SECOND_MS } from '../../base/durations.ts';
import { engagementRate as rateOf } from '../../base/wire/engagement-rate.ts';
import { countsOnly } from '../../base/wire/observation.ts';
import type { Observations } from '../../ingest/imports/observations.ts';
import type { SeenCreator } from '../../ingest/writers/creators.ts';
import { birthsOf } from './births.ts';
import { Careers } from './careers.ts';
import { CREATORS_PER_PLATFORM, creatorAt, WEEK_MS, type WorldCreator } from './creators.ts';
import { RandomStream } from './random-stream.ts';
import { LAST_SNAPSHOT_MS } from './snapshots.ts';
import { Tides } from './tides.ts';
import { bringUp, likesAt, titleAt, type WorldVideo, worldViewsAt } from './world-video.ts';

/** Seed and size of a made-up world. */
export interface WorldOptions {
  readonly seed: number;
  /**
   * Creators of each platform; those of a smaller world are the first of a larger one. Default 700,
   * which is the most.
   */
  readonly creators?: number | undefined;
}

interface Span {
  fromAt: number;
  toAt: number;
  platforms?: readonly Platform[];
}

/** Weeks of videos that stay in memory, all platforms counted. */
const CACHED_WEEKS = 60;
/** Followings up to here are read once a week, larger ones daily. */
const DAILY_FROM_FOLLOWERS = 400_000;

/** A made-up world: a pure function of its seed and of absolute time. Nothing is computed before it is asked for. */
export class World {
  readonly #seed: number;
  readonly #creators: number;
  readonly #tides: Tides;
  readonly #careers: Careers;
  readonly #weeks = new LRUCache<string, WorldVideo[]>({ max: CACHED_WEEKS });

  constructor({ seed, creators = CREATORS_PER_PLATFORM }: WorldOptions) {
    this.#seed = seed;
    this.#creators = creators;
    this.#tides = new Tides(seed);
    this.#careers = new Careers(seed, this.#tides);
  }

  /** The videos born at or after `fromAt` and before `toAt`, oldest first. */
  videos(span: Span): WorldVideo[] {
    return [...this.#bornWithin(span)].sort(byBirth);
  }

  /**
   * Observations made after `fromAt`, up to and including `toAt` (Unix ms), in batches of at most a
   * week, oldest first; in a batch each video's newest counts come first, which loads fastest.
   * However an interval is split, the batches hold the same observations. A video's words come with
   * its first snapshot after `sinceAt`, and again when they have changed.
   * @param sinceAt when this observer began to watch; it knows nothing earlier
   */
  *observationsBetween(
    fromAt: number,
    toAt: number,
    sinceAt = Number.NEGATIVE_INFINITY,
  ): Generator<Observations, void> {
    for (let from = Math.max(fromAt, sinceAt); from < toAt; ) {
      const to = Math.min(toAt, from + WEEK_MS);
      const creators = this.#creatorsSeen(from, to);
      // volumes of hashtags follow from the videos that carry a tag
      const batch: Observations = { videos: [], snapshots: [], hashtags: [], creators };
      for (const video of this.#bornWithin({ fromAt: from - LAST_SNAPSHOT_MS, toAt: to }))
        addSnapshots(batch, video, { from, to, sinceAt });
      batch.videos.sort((a, b) => (a.at ?? 0) - (b.at ?? 0)); // words in the order seen
      if (batch.snapshots.length + creators.length > 0) yield batch;
      from = to;
    }
  }

  *#bornWithin({ fromAt, toAt, platforms = PLATFORMS }: Span): Generator<WorldVideo> {
    for (let week = Math.floor(fromAt / WEEK_MS); week * WEEK_MS < toAt; week++)
      for (const platform of platforms)
        for (const video of this.#videosOfWeek(platform, week))
          if (video.bornAt >= fromAt && video.bornAt < toAt) yield video;
  }

  #videosOfWeek(platform: Platform, week: number): WorldVideo[] {
    const key = `${platform} ${week}`;
    const videos = this.#weeks.get(key) ?? this.#makeWeek(platform, week);
    this.#weeks.set(key, videos);
    return videos;
  }

  #makeWeek(platform: Platform, week: number): WorldVideo[] {
    const at = week * WEEK_MS;
    return Array.from({ length: this.#creators }, (_, slot) =>
      creatorAt(this.#seed, platform, slot, at),
    )
      .flatMap((creator) =>
        birthsOf(this.#seed, creator, week, this.#tides).map((birth, index) =>
          bringUp(this.#seed, creator, { birth, index }, this.#tides),
        ),
      )
      .sort(byBirth);
  }

  #creatorsSeen(fromAt: number, toAt: number): SeenCreator[] {
    const seen: SeenCreator[] = [];
    for (const platform of PLATFORMS)
      for (let slot = 0; slot < this.#creators; slot++)
        for (const at of creatorSnapshots(this.#seed, { platform, slot }, { fromAt, toAt })) {
          const creator = creatorAt(this.#seed, platform, slot, at);
          const daily = creator.followersAtEnd >= DAILY_FROM_FOLLOWERS;
          if (daily || Math.floor(at / DAY_MS) % 7 === slot % 7)
            seen.push(this.#careers.observe(creator, at));
        }
    return seen;
  }
}

const byBirth = (a: WorldVideo, b: WorldVideo): number =>
  a.bornAt - b.bornAt || (a.id < b.id ? -1 : 1);

const addSnapshots = (
  batch: Observations,
  video: WorldVideo,
  { from, to, sinceAt }: { from: number; to: number; sinceAt: number },
): void => {
  const { id, platform, user, bornAt: createdAt, hashtags, extra, snapshots } = video;
  for (let snapshot = snapshots.length - 1; snapshot >= 0; snapshot--) {
    const at = snapshots[snapshot] ?? 0;
    if (at > to) continue;
    if (at <= from) break;
    const title = titleAt(video, at);
    const before = snapshots[snapshot - 1] ?? Number.NEGATIVE_INFINITY;
    if (before <= sinceAt || title !== titleAt(video, before)) {
      const words = { id, platform, title, user, createdAt, hashtags, extra, snapshotExtra: null };
      const noCounts = { views: null, likes: null, engagementRate: null };
      batch.videos.push({ observed: { ...words, ...noCounts }, at });
    }
    const [views, likes] = [worldViewsAt(video, at), likesAt(video, at)];
    const engagementRate = rateOf({ views, likes });
    const observed = countsOnly({ id, platform, views, likes, engagementRate, extra: null });
    batch.snapshots.push({ observed, at });
  }
};

/** Daily profiles of a creator, at a fixed hour. */
function* creatorSnapshots(
  seed: number,
  { platform, slot }: Pick<WorldCreator, 'platform' | 'slot'>,
  { fromAt, toAt }: { fromAt: number; toAt: number },
): Generator<number> {
  const hourOfItsOwn = new RandomStream(seed, 8, PLATFORMS.indexOf(platform), slot).next();
  const offset = Math.floor((hourOfItsOwn * DAY_MS) / SECOND_MS) * SECOND_MS;
  for (let day = Math.floor((fromAt - offset) / DAY_MS); ; day++) {
    const at = day * DAY_MS + offset;
    if (at > toAt) return;
    if (at > fromAt) yield at;
  }
}
