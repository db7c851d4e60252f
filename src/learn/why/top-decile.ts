import type { LabVideo } from './lab-video.ts';
import { type Interval, shareDifference } from './statistics.ts';

/** A video with whether it is among the best-viewed tenth of its age in its group. */
export interface RankedVideo extends LabVideo {
  readonly top: boolean;
}

const AGE_BINS_MOST = 5;
const AGE_BIN_LEAST = 50;

/**
 * Marks the best-viewed tenth of a group. Older videos had longer to gather views, so the tenth is
 * taken inside each of up to five spans of publishing time with equally many videos.
 */
export const markTopDecile = (videos: readonly LabVideo[]): RankedVideo[] => {
  const byAge = [...videos].sort(
    (a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0) || a.key - b.key,
  );
  const bins = Math.min(AGE_BINS_MOST, Math.max(1, Math.floor(byAge.length / AGE_BIN_LEAST)));
  const size = Math.ceil(byAge.length / bins);
  return Array.from({ length: bins }, (_, bin) =>
    byAge.slice(bin * size, (bin + 1) * size),
  ).flatMap((bin) => {
    const best = [...bin].sort((a, b) => b.views - a.views || a.key - b.key);
    const top = new Set(best.slice(0, Math.ceil(best.length / 10)));
    return bin.map((video) => ({ ...video, top: top.has(video) }));
  });
};

/** How many of some videos are in the top tenth. */
interface Side {
  readonly successes: number;
  readonly trials: number;
}

/** Shares of the top tenth with and without a property, and their difference with its 99 % interval. */
export interface Contrast extends Interval {
  readonly difference: number;
  readonly withIt: Side;
  readonly without: Side;
}

/** Whether a property goes with being in the top tenth: those that have it against those that don't. */
export const contrast = (
  videos: readonly RankedVideo[],
  has: (video: LabVideo) => boolean | undefined,
): Contrast => {
  const withIt = { successes: 0, trials: 0 };
  const without = { successes: 0, trials: 0 };
  for (const video of videos) {
    const holds = has(video);
    if (holds === undefined) continue;
    const side = holds ? withIt : without;
    side.trials++;
    if (video.top) side.successes++;
  }
  return { ...shareDifference(withIt, without), withIt, without };
};
