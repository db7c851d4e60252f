import type { SeenCreator } from '../../ingest/writers/creators.ts';
import { type Birth, birthsOf } from './births.ts';
import { followersAt, WEEK_MS, type WorldCreator } from './creators.ts';
import { countLikes, countViews, finalViews } from './curve.ts';
import type { Tides } from './tides.ts';

/** Totals of a creator's older videos, by the week before which they were published. */
interface Summed {
  week: number;
  videoCount: number;
  views: number;
  likes: number;
}

/** Videos older than this many weeks are counted with what they end with. */
const ENDED_AFTER_WEEKS = 6;

/** Creators' totals: the sums over all videos they ever published, exactly. */
export class Careers {
  readonly #seed: number;
  readonly #tides: Tides;
  readonly #summed = new Map<string, Summed>();

  constructor(seed: number, tides: Tides) {
    this.#seed = seed;
    this.#tides = tides;
  }

  /** A creator's counts as of `at`. */
  observe(creator: WorldCreator, at: number): SeenCreator {
    const thisWeek = Math.floor(at / WEEK_MS);
    const summed = this.#summedBefore(creator, thisWeek - ENDED_AFTER_WEEKS);
    let { videoCount, views, likes } = summed;
    for (let week = summed.week; week <= thisWeek; week++)
      for (const { bornAt, curve } of this.#births(creator, week)) {
        if (bornAt > at) continue;
        videoCount++;
        views += countViews(curve, bornAt, at);
        likes += countLikes(curve, bornAt, at) ?? 0;
      }
    const { platform, handle } = creator;
    const followers = followersAt(creator, at);
    const counts = { followers, videoCount, views, likes, engagementRate: null };
    return { platform, handle, at, ...counts, extra: null, snapshotExtra: null, growth: [] };
  }

  #births(creator: WorldCreator, week: number): Birth[] {
    return birthsOf(this.#seed, creator, week, this.#tides);
  }

  #summedBefore(creator: WorldCreator, week: number): Summed {
    const firstWeek = creator.fromAt / WEEK_MS;
    const until = Math.max(firstWeek, week);
    const key = `${creator.platform} ${creator.slot} ${creator.fromAt}`;
    const known = this.#summed.get(key);
    const sum =
      known !== undefined && known.week <= until
        ? { ...known }
        : { week: firstWeek, videoCount: 0, views: 0, likes: 0 };
    for (; sum.week < until; sum.week++)
      for (const { curve } of this.#births(creator, sum.week)) {
        sum.videoCount++;
        sum.views += finalViews(curve);
        if (Number.isFinite(curve.likesHiddenMs)) continue;
        sum.likes += Math.floor(finalViews(curve) * curve.likesPerView);
      }
    this.#summed.set(key, sum);
    return sum;
  }
}
