import type { Lake } from '../lake/open.ts';
import type { VideoObservation } from '../wire/observation.ts';
import type { SeenCreator } from './creators.ts';
import type { SeenHashtag } from './hashtags.ts';
import { loaderOf } from './loader.ts';
import type { LoadCounts, Tally } from './tally.ts';

/** What one transaction of an import loads: checked facts, with the instant they were true at. */
export interface ObservationBatch {
  /** What videos are, whatever their counts; `at` is null where the source does not say when. */
  videos: { observed: VideoObservation; at: number | null }[];
  /** Counts of videos at one instant. */
  snapshots: { observed: VideoObservation; at: number }[];
  hashtags: SeenHashtag[];
  creators: SeenCreator[];
}

/**
 * Loads observations as an import holds them, in one transaction; `within` runs inside it, after
 * them; their words wait for `refreshSearch`. Loading the same batch again changes nothing.
 * @returns rows by table
 */
export const loadObservations = (
  lake: Lake,
  { videos, snapshots, hashtags, creators }: ObservationBatch,
  within: () => void = () => {},
): LoadCounts => {
  const loader = loaderOf(lake);
  const load = (tally: Tally): void => {
    loader.expect([...new Set([...videos, ...snapshots].map(({ observed }) => observed.id))]);
    for (const { observed, at } of videos) loader.write(observed, { at, source: null }, tally);
    for (const { observed, at } of snapshots)
      loader.write(observed, { at, source: 'import' }, tally);
    for (const hashtag of hashtags) loader.hashtags.write(hashtag, tally);
    for (const creator of creators) loader.creators.write(creator, 'import', tally);
  };
  return loader.transaction(load, within, 'later');
};
