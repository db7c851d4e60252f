import { PLATFORMS } from '../../schema/vocabulary.ts';
import { AGE_STEPS, ageStep } from './age-grid.ts';
import { firstRefreshState, gapKind, slopeClass, stateOf } from './refresh-states.ts';

/**
 * Tracked videos in columns, one index per video: a million of them are 50 MB. Instants are Unix
 * milliseconds; NaN where there is none.
 */
export interface TrackedColumns {
  readonly length: number;
  readonly createdAt: Float64Array;
  readonly lastAt: Float64Array;
  readonly lastViews: Float64Array;
  /** The refresh before the last, NaN when there was only one. */
  readonly earlierAt: Float64Array;
  readonly earlierViews: Float64Array;
  /** When a list will show the video anyway, NaN when none is expected to. */
  readonly nextListRefreshAt: Float64Array;
  /** Position in PLATFORMS. */
  readonly platform: Uint8Array;
  /** The creator's number, 0 and up; -1 when unknown. */
  readonly creator: Int32Array;
}

/** Empty columns for so many videos. */
export const trackedColumns = (length: number): TrackedColumns => ({
  length,
  createdAt: new Float64Array(length),
  lastAt: new Float64Array(length),
  lastViews: new Float64Array(length),
  earlierAt: new Float64Array(length).fill(Number.NaN),
  earlierViews: new Float64Array(length).fill(Number.NaN),
  nextListRefreshAt: new Float64Array(length).fill(Number.NaN),
  platform: new Uint8Array(length),
  creator: new Int32Array(length).fill(-1),
});

/** Finds the number of the video with a key, -1 where it is not tracked; keys stand in ascending order. */
export const videoNumbers = (videoKeys: Float64Array, length: number) => (key: number) => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((videoKeys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low < length && videoKeys[low] === key ? low : -1;
};

/** One tracked video as an object, for few of them. */
export interface TrackedVideo {
  readonly platform: (typeof PLATFORMS)[number];
  readonly creator: number;
  readonly createdAt: number;
  /** Oldest first, at least one; the last two count. */
  readonly refreshes: readonly { readonly at: number; readonly views: number }[];
  readonly nextListRefreshAt?: number;
}

/** Columns of a handful of videos. */
export const columnsOfVideos = (videos: readonly TrackedVideo[]): TrackedColumns => {
  const columns = trackedColumns(videos.length);
  videos.forEach((video, i) => {
    const last = video.refreshes.at(-1);
    const earlier = video.refreshes.at(-2);
    columns.createdAt[i] = video.createdAt;
    columns.lastAt[i] = last?.at ?? video.createdAt;
    columns.lastViews[i] = last?.views ?? 0;
    columns.earlierAt[i] = earlier?.at ?? Number.NaN;
    columns.earlierViews[i] = earlier?.views ?? Number.NaN;
    columns.nextListRefreshAt[i] = video.nextListRefreshAt ?? Number.NaN;
    columns.platform[i] = PLATFORMS.indexOf(video.platform);
    columns.creator[i] = video.creator;
  });
  return columns;
};

/** Where every tracked video stands: its state at the last refresh, and grid steps since. */
export interface TrackedStates {
  readonly state: Int32Array;
  readonly since: Float32Array;
}

const HOUR_MS = 3_600_000;

/** What is usual for creators: mean log views of their other tracked videos, NaN without any. */
export const creatorsUsual = ({ length, creator, lastViews }: TrackedColumns) => {
  const creators = creator.reduce((most, owner) => Math.max(most, owner + 1), 0);
  const sum = new Float64Array(creators);
  const count = new Uint32Array(creators);
  for (let i = 0; i < length; i++) {
    const owner = creator[i] ?? -1;
    if (owner < 0) continue;
    sum[owner] = (sum[owner] ?? 0) + Math.log(Math.max(1, lastViews[i] ?? 1));
    count[owner] = (count[owner] ?? 0) + 1;
  }
  return {
    of: (i: number, logViews: number): number => {
      const owner = creator[i] ?? -1;
      const others = (count[owner] ?? 0) - 1;
      return others > 0 ? ((sum[owner] ?? 0) - logViews) / others : Number.NaN;
    },
  };
};

/** Positions all videos as of `now`. Looks at or after `now` count as just made. */
export const standingOf = (tracked: TrackedColumns, now: number): TrackedStates => {
  const { length, createdAt, lastAt, lastViews, earlierAt, earlierViews } = tracked;
  const usual = creatorsUsual(tracked);
  const standing = { state: new Int32Array(length), since: new Float32Array(length) };
  for (let i = 0; i < length; i++) {
    const born = createdAt[i] ?? 0;
    const last = ageStep(((lastAt[i] ?? 0) - born) / HOUR_MS);
    const age = Math.min(Math.round(last), AGE_STEPS - 1);
    standing.since[i] = Math.max(0, ageStep((now - born) / HOUR_MS) - last);
    const before = earlierAt[i] ?? Number.NaN;
    const gap = Number.isNaN(before) ? 0 : last - ageStep((before - born) / HOUR_MS);
    const logViews = Math.log(Math.max(1, lastViews[i] ?? 1));
    if (gap > 0) {
      const grown = logViews - Math.log(Math.max(1, earlierViews[i] ?? 1));
      standing.state[i] = stateOf(age, gapKind(gap), slopeClass(grown / gap));
    } else standing.state[i] = firstRefreshState(age, logViews, usual.of(i, logViews));
  }
  return standing;
};
