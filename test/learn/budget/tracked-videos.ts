import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import {
  FIRST_CREATOR,
  TrackedBuilder,
  type TrackedVideos,
} from '../../../src/learn/budget/tracked.ts';

/** One tracked video as an object, for few of them. */
export interface TrackedVideo {
  readonly platform: Platform;
  /** The creator's number; -1 when unknown. All of its videos are of one platform. */
  readonly creator: number;
  readonly createdAt: number;
  /** Oldest first, at least one; the last two count. */
  readonly refreshes: readonly { readonly at: number; readonly views: number }[];
}

/** Some videos, each under its position as key. */
export const trackedVideos = (videos: readonly TrackedVideo[]): TrackedVideos => {
  const groups = videos.map(({ platform, creator }) =>
    creator < 0 ? PLATFORMS.indexOf(platform) : FIRST_CREATOR + creator,
  );
  const most = groups.reduce((largest, group) => Math.max(largest, group + 1), FIRST_CREATOR);
  const sizes = { videos: new Uint32Array(most), platform: new Uint8Array(most) };
  sizes.platform.set(PLATFORMS.map((_, position) => position));
  for (const [i, group] of groups.entries()) {
    sizes.videos[group] = (sizes.videos[group] ?? 0) + 1;
    sizes.platform[group] = PLATFORMS.indexOf(videos[i]?.platform ?? 'tiktok');
  }
  const builder = new TrackedBuilder(sizes);
  for (const [i, { createdAt, refreshes }] of videos.entries()) {
    const [last, earlier] = [refreshes.at(-1), refreshes.at(-2)];
    builder.add(groups[i] ?? 0, [
      i,
      createdAt,
      last?.at ?? createdAt,
      last?.views ?? 0,
      earlier?.at ?? null,
      earlier?.views ?? null,
    ]);
  }
  return builder.build();
};
