import type { Lake } from '../lake/open.ts';
import { loaderOf } from './loader.ts';
import type { ObservationBatch } from './observation.ts';
import type { LoadCounts, Tally } from './tally.ts';

/**
 * Loads observations as an import holds them, in one transaction; `within` runs inside it, after
 * them. Loading the same batch again changes nothing.
 * @returns rows by table
 */
export const loadObservations = (
  lake: Lake,
  batch: ObservationBatch,
  within: () => void = () => {},
): LoadCounts => {
  const loader = loaderOf(lake);
  const load = (tally: Tally): void => {
    loader.expect([...new Set([...batch.videos, ...batch.snapshots].map(({ id }) => id))]);
    for (const { hashtags, seenAt, ...video } of batch.videos)
      loader.writeVideo(
        { ...video, at: seenAt, views: null, likes: null, engagementRate: null },
        hashtags,
        tally,
      );
    for (const snapshot of batch.snapshots) loader.writeCounts(snapshot, 'import', tally);
    for (const hashtag of batch.hashtags)
      loader.hashtags.write(
        { ...hashtag, change: null, rank: null, window: null, source: 'import' },
        tally,
      );
    for (const { extra, ...creator } of batch.creators)
      loader.writeCreator(
        { ...creator, engagementRate: null, growth: [], extra: null },
        'import',
        tally,
        extra,
      );
  };
  return loader.transaction(load, within);
};
