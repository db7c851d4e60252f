import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { AGE_STEPS, ageStep } from './age-grid.ts';
import { firstRefreshState, gapKind, slopeClass, stateOf } from './refresh-states.ts';

/**
 * Videos belong to groups, one for each creator. The first groups, one for each of PLATFORMS, are of
 * the videos whose creator nobody knows.
 */
export const FIRST_CREATOR = PLATFORMS.length;

/** The videos of groups: group g has those from `from[g]` up to `to[g]`. */
export interface VideoGroups {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** Position in PLATFORMS. */
  readonly platform: Uint8Array;
}

/**
 * Tracked videos in columns, group by group, each creator's newest first: 22 bytes a video and 17 a
 * creator. Between groups there may be slots without a video. Instants are Unix milliseconds.
 */
export interface TrackedVideos {
  readonly count: number;
  readonly groups: VideoGroups;
  readonly key: Uint32Array;
  readonly createdAt: Float64Array;
  /** Of the last refresh. */
  readonly lastAt: Float64Array;
  /** State of the last refresh and the one before, see refresh-states.ts. */
  readonly state: Uint16Array;
}

/** A video's last refresh, with an earlier one that shows growth, and the video's key. */
export type RefreshRow = [
  key: number,
  bornAt: number,
  lastAt: number,
  lastViews: number,
  earlierAt: number | null,
  earlierViews: number | null,
];

const logOf = (views: number): number => Math.log(Math.max(1, views));

/** Grid steps from the last refresh to `now`, or from `notBefore`; 0 where it is at or after it. */
export const stepsSince = (
  { createdAt, lastAt }: TrackedVideos,
  slot: number,
  now: number,
  notBefore = 0,
): number => {
  const born = createdAt[slot] ?? 0;
  const last = ageStep((Math.max(lastAt[slot] ?? 0, notBefore) - born) / HOUR_MS);
  return Math.fround(Math.max(0, ageStep((now - born) / HOUR_MS) - last));
};

/** The group that a slot belongs to. */
export const groupOf = ({ to }: VideoGroups, slot: number): number => {
  let low = 0;
  let high = to.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((to[middle] ?? 0) > slot) high = middle;
    else low = middle + 1;
  }
  return low;
};

const NOT_KNOWN = 0xffff; // no state

/** Takes videos one by one, in ascending order of their keys, and puts them in their groups' order. */
export class TrackedBuilder {
  readonly #groups: VideoGroups;
  readonly #key: Uint32Array;
  readonly #createdAt: Float64Array;
  readonly #lastAt: Float64Array;
  readonly #state: Uint16Array;
  /** Of groups: sum of the logarithms of their videos' views. */
  readonly #logViews: Float64Array;
  /** Of videos with one refresh, until what is usual for their creator is known. */
  readonly #views: Float64Array;
  #count = 0;

  /** @param sizes how many videos each group has at most, and of which platform they are */
  constructor(sizes: { readonly videos: Uint32Array; readonly platform: Uint8Array }) {
    const to = sizes.videos.slice();
    for (let group = 1; group < to.length; group++)
      to[group] = (to[group] ?? 0) + (to[group - 1] ?? 0);
    const slots = to.at(-1) ?? 0;
    this.#groups = { from: to.slice(), to, platform: sizes.platform };
    this.#logViews = new Float64Array(to.length);
    this.#key = new Uint32Array(slots);
    this.#createdAt = new Float64Array(slots);
    this.#lastAt = new Float64Array(slots);
    this.#state = new Uint16Array(slots);
    this.#views = new Float64Array(slots);
  }

  add(group: number, row: RefreshRow): void {
    const [key, bornAt, lastAt, lastViews, earlierAt, earlierViews] = row;
    const { from } = this.#groups;
    const slot = (from[group] ?? 0) - 1; // from the end: the newest mostly have the highest keys
    from[group] = slot;
    this.#count++;
    this.#key[slot] = key;
    this.#createdAt[slot] = bornAt;
    this.#lastAt[slot] = lastAt;
    const logViews = logOf(lastViews);
    this.#logViews[group] = (this.#logViews[group] ?? 0) + logViews;
    const last = ageStep((lastAt - bornAt) / HOUR_MS);
    const gap = earlierAt === null ? 0 : last - ageStep((earlierAt - bornAt) / HOUR_MS);
    if (gap > 0) {
      const grown = logViews - logOf(earlierViews ?? 0);
      const age = Math.min(Math.round(last), AGE_STEPS - 1);
      this.#state[slot] = stateOf(age, gapKind(gap), slopeClass(grown / gap));
      return;
    }
    this.#state[slot] = NOT_KNOWN;
    this.#views[slot] = lastViews;
  }

  /**
   * Usual views of a video's creator, by its last views: mean logarithm of the others so far, NaN
   * without others.
   */
  usual(group: number, views: number): number {
    const { from, to } = this.#groups;
    const others = (to[group] ?? 0) - (from[group] ?? 0) - 1;
    if (group < FIRST_CREATOR || !(others > 0)) return Number.NaN;
    return ((this.#logViews[group] ?? 0) - logOf(views)) / others;
  }

  /** All that were added. Nothing may be added afterwards. */
  build(): TrackedVideos {
    const { from, to } = this.#groups;
    for (let group = 0; group < to.length; group++) {
      const [start, end] = [from[group] ?? 0, to[group] ?? 0];
      for (let slot = start; slot < end; slot++)
        if (this.#state[slot] === NOT_KNOWN) this.#state[slot] = this.#firstState(group, slot);
      if (group >= FIRST_CREATOR) this.#putNewestFirst(start, end);
    }
    return {
      count: this.#count,
      groups: this.#groups,
      key: this.#key,
      createdAt: this.#createdAt,
      lastAt: this.#lastAt,
      state: this.#state,
    };
  }

  #firstState(group: number, slot: number): number {
    const views = this.#views[slot] ?? 0;
    const last = ageStep(((this.#lastAt[slot] ?? 0) - (this.#createdAt[slot] ?? 0)) / HOUR_MS);
    const age = Math.min(Math.round(last), AGE_STEPS - 1);
    return firstRefreshState(age, logOf(views), this.usual(group, views));
  }

  #putNewestFirst(start: number, end: number): void {
    if (end - start < 2) return;
    const slots = Array.from({ length: end - start }, (_, i) => start + i).sort(
      (a, b) =>
        (this.#createdAt[b] ?? 0) - (this.#createdAt[a] ?? 0) ||
        (this.#key[a] ?? 0) - (this.#key[b] ?? 0),
    );
    for (const column of [this.#key, this.#createdAt, this.#lastAt, this.#state])
      column.set(
        slots.map((slot) => column[slot] ?? 0),
        start,
      );
  }
}
