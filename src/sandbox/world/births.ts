import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../base/durations.ts';
import { followersAt, WEEK_MS, type WorldCreator } from './creators.ts';
import { drawCurve, type WorldCurve } from './curve.ts';
import type { Niche } from './niches.ts';
import { RandomStream } from './random-stream.ts';
import type { Tides } from './tides.ts';

/** A video before it has words: when it appears, what it shows, how its counts will run. */
export interface Birth {
  readonly bornAt: number;
  readonly niche: Niche;
  readonly curve: WorldCurve;
}

const MOST_VIEWS = 900_000_000;
const EVENING_HOUR = 18;
const AWAKE_HOUR = 20;

/** Views that a following of this size brings in the middle, before luck. */
const usualReach = (followers: number): number => 55 * followers ** 0.62;

/**
 * Luck is log-normal with a heavy right tail: one video in thirty goes far past its creator's
 * following (Pareto), as one creator's median video never does.
 */
const drawReach = (
  stream: RandomStream,
  followers: number,
  heat: number,
): { total: number; hit: boolean } => {
  const luck = stream.logNormal(1, 1.2);
  const hit = stream.chance(0.03 * Math.sqrt(heat));
  const leap = hit ? 6 * (1 - stream.next()) ** (-1 / 1.2) : 1;
  const total = Math.min(MOST_VIEWS, usualReach(followers) * luck * leap * Math.sqrt(heat));
  return { total: Math.max(1, total), hit: hit || luck > 5 };
};

const drawBirthInstant = (stream: RandomStream, week: number, utcOffsetHours: number): number => {
  const day = stream.below(7);
  const hour = EVENING_HOUR + 4.5 * stream.normal() - utcOffsetHours;
  const hourOfDay = ((hour % 24) + 24) % 24;
  const at = week * WEEK_MS + day * DAY_MS + hourOfDay * HOUR_MS;
  return Math.floor(at / SECOND_MS) * SECOND_MS; // platforms state whole seconds
};

/**
 * The videos a creator publishes in one week (whole weeks since 1970), in no particular order.
 * Depends on the seed, the creator's slot and the week alone.
 */
export const birthsOf = (
  seed: number,
  creator: WorldCreator,
  week: number,
  tides: Tides,
): Birth[] => {
  const { platform, slot, language } = creator;
  const stream = new RandomStream(seed, 5, PLATFORMS.indexOf(platform), slot, week);
  return Array.from({ length: stream.poisson(creator.perWeek) }, () => {
    const bornAt = drawBirthInstant(stream, week, language.utcOffsetHours);
    const niche = tides.nicheFor(creator.niche, bornAt, stream);
    const reach = drawReach(stream, followersAt(creator, bornAt), tides.heat(niche, bornAt));
    const awakeAt = (AWAKE_HOUR - language.utcOffsetHours) * HOUR_MS;
    return { bornAt, niche, curve: drawCurve(stream, { ...reach, awakeAt }) };
  });
};
