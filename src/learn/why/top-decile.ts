import { independentShare, shareDifference } from './statistics.ts';
import type { LabVideo } from './title-features.ts';

export interface RankedVideo extends LabVideo {
  /** In the most viewed tenth of its group and age. */
  readonly top: boolean;
}

const AGE_BINS_MOST = 5;
const AGE_BIN_LEAST = 50;

/** Older videos had more time to gather views, so the tenth is taken in up to 5 equal groups by age. */
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

/**
 * Compares the share in the top tenth with and without a property, with the 99 % interval of the
 * difference. Videos of one creator count as alike.
 */
export const contrast = (
  videos: readonly RankedVideo[],
  has: (video: LabVideo) => boolean | undefined,
) => {
  const sides = Map.groupBy(videos, has);
  const countOf = (side: readonly RankedVideo[]) => ({
    successes: side.filter(({ top }) => top).length,
    trials: side.length,
  });
  const independent = (side: readonly RankedVideo[]) => {
    const { successes, trials } = countOf(side);
    const share = independentShare(side);
    return { successes: share * successes, trials: share * trials };
  };
  const [withIt, without] = [sides.get(true) ?? [], sides.get(false) ?? []];
  return {
    ...shareDifference(independent(withIt), independent(without)),
    withIt: countOf(withIt),
    without: countOf(without),
  };
};
