import {
  FIRST_CREATOR,
  TrackedBuilder,
  type TrackedVideos,
} from '../../src/learn/budget/tracked.ts';

/** A policy's knowledge of videos. Instants are Unix milliseconds; NaN: unknown. */
export interface TrackedColumns {
  readonly createdAt: Float64Array;
  readonly lastAt: Float64Array;
  readonly lastViews: Float64Array;
  /** The refresh before the last, NaN when there was only one. */
  readonly earlierAt: Float64Array;
  readonly earlierViews: Float64Array;
  /** Position in PLATFORMS. */
  readonly platform: Uint8Array;
  /** The creator's number, 0 and up; -1 when unknown. All videos of one are of one platform. */
  readonly creator: Int32Array;
}

/** Empty columns for so many videos. */
export const trackedColumns = (length: number): TrackedColumns => ({
  createdAt: new Float64Array(length),
  lastAt: new Float64Array(length),
  lastViews: new Float64Array(length),
  earlierAt: new Float64Array(length).fill(Number.NaN),
  earlierViews: new Float64Array(length).fill(Number.NaN),
  platform: new Uint8Array(length),
  creator: new Int32Array(length).fill(-1),
});

/** The videos of some columns as the planner takes them, each under its position as key. */
export const trackedOf = (columns: TrackedColumns): TrackedVideos => {
  const { creator, platform } = columns;
  const groups = creator.map((owner, i) =>
    owner < 0 ? (platform[i] ?? 0) : FIRST_CREATOR + owner,
  );
  const most = groups.reduce((largest, group) => Math.max(largest, group + 1), FIRST_CREATOR);
  const sizes = { videos: new Uint32Array(most), platform: new Uint8Array(most) };
  for (let position = 0; position < FIRST_CREATOR; position++) sizes.platform[position] = position;
  for (const [i, group] of groups.entries()) {
    sizes.videos[group] = (sizes.videos[group] ?? 0) + 1;
    sizes.platform[group] = platform[i] ?? 0;
  }
  const builder = new TrackedBuilder(sizes);
  for (const [i, group] of groups.entries()) {
    const earlierAt = columns.earlierAt[i] ?? Number.NaN;
    builder.add(group, [
      i,
      columns.createdAt[i] ?? 0,
      columns.lastAt[i] ?? 0,
      columns.lastViews[i] ?? 0,
      Number.isNaN(earlierAt) ? null : earlierAt,
      columns.earlierViews[i] ?? 0,
    ]);
  }
  return builder.build();
};
