import type { Source } from '../../../schema/vocabulary.ts';
import type { VideoObservation } from '../../base/wire/observation.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import type { SeenCreator } from '../writers/creators.ts';
import type { WrittenVolume } from '../writers/hashtags.ts';
import { type Loader, loaderOf } from '../writers/loader.ts';
import type { SnapshotSource } from '../writers/merge-video.ts';
import type { WrittenCapture } from '../writers/rankings.ts';
import type { LoadCounts, Tally } from '../writers/tally.ts';

/** Rank of a video in an imported list; source and region of the lines name the list. */
export interface ImportedPlace {
  readonly id: string;
  readonly platform: VideoObservation['platform'];
  readonly at: number;
  readonly period: string;
  readonly rank: number;
}

/** Validated observations. Instants are Unix ms. */
export interface Observations {
  /** Facts of videos without counts; `at` is null if unknown. */
  videos: { observed: VideoObservation; at: number | null }[];
  /** Counts of videos; the default source is `import`. */
  snapshots: { observed: VideoObservation; at: number; source?: SnapshotSource }[];
  hashtags: WrittenVolume[];
  creators: (SeenCreator & { source?: Source })[];
  places?: ImportedPlace[];
}

/** Writes ranks of imported lists. Each instant of a list is one complete capture. */
const writePlaces = (
  { sqlite }: Lake,
  loader: Loader,
  places: readonly ImportedPlace[],
  tally: Tally,
): void => {
  const keyOf = prepare(sqlite, 'select key from video where id = ?', 'number');
  const captures = new Map<string, WrittenCapture>();
  for (const { id, platform, at, period, rank } of places) {
    const video = keyOf.get(id);
    if (video === undefined) continue; // erased
    const name = `${at} ${platform} ${period}`;
    const list = { list: 'import', platform, period } as const;
    const pull = { ...list, at, total: null, runId: null, isLast: true };
    const capture = captures.get(name) ?? loader.rankings.open(pull, tally);
    captures.set(name, capture);
    loader.rankings.write(capture, { rank, video, score: null, velocity: null }, tally);
  }
};

/**
 * Loads observations in one transaction; `within` runs at its end. New words wait for `refreshSearch`.
 * Repeating it changes nothing.
 * @param collectedAt Unix ms of the import; null: unknown
 * @returns rows by table
 */
export const loadObservations = (
  lake: Lake,
  { videos, snapshots, hashtags, creators, places = [] }: Observations,
  within: () => void = () => {},
  collectedAt: number | null = null,
): LoadCounts => {
  const loader = loaderOf(lake);
  const load = (tally: Tally): void => {
    const erased = erasedOf(lake);
    const kept = <T extends { observed: VideoObservation }>(rows: readonly T[]): readonly T[] =>
      erased.isEmpty ? rows : rows.filter(({ observed }) => !erased.dropsVideo(observed));
    const facts = kept(videos).map(({ observed, at }) => ({
      observed,
      seen: { at, source: null },
    }));
    loader.writeAll(facts, tally);
    const counts = kept(snapshots).map(({ observed, at, source = 'import' }) => ({
      observed,
      seen: { at, source },
    }));
    loader.writeAll(counts, tally);
    writePlaces(lake, loader, places, tally);
    for (const hashtag of hashtags) loader.hashtags.write(hashtag, tally);
    for (const { source = 'import', ...creator } of creators)
      if (!erased.drops({ kind: 'creator', ...creator }))
        loader.creators.write(creator, source, tally);
  };
  return loader.transaction(load, within, 'later', collectedAt);
};
