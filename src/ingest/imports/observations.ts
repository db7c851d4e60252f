import type { Source } from '../../../schema/vocabulary.ts';
import type { VideoObservation } from '../../base/wire/observation.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import type { SeenCreator } from '../writers/creators.ts';
import type { SeenHashtag, WrittenVolume } from '../writers/hashtags.ts';
import { type Loader, loaderOf, type Seen } from '../writers/loader.ts';
import type { SnapshotSource } from '../writers/merge-video.ts';
import type { WrittenCapture } from '../writers/rankings.ts';
import type { LoadCounts, Tally } from '../writers/tally.ts';
import type { ImportedPlace } from './import-records.ts';

/** Counts of a video at an instant, from an import unless said otherwise. */
interface Counted {
  readonly observed: VideoObservation;
  readonly at: number;
  readonly source?: SnapshotSource;
}

/** Checked facts, with the instant they were true at. */
export interface ObservationBatch {
  /** Facts of videos without counts; `at` is null if the source has no time. */
  videos: { observed: VideoObservation; at: number | null }[];
  /** Counts of videos at one instant. */
  snapshots: Counted[];
  hashtags: SeenHashtag[];
  creators: SeenCreator[];
}

/** The same in any form that is gone through once. */
export interface Observations {
  readonly videos: Iterable<{ observed: VideoObservation; at: number | null }>;
  readonly snapshots: Iterable<Counted>;
  readonly hashtags: Iterable<WrittenVolume>;
  readonly creators: Iterable<SeenCreator & { readonly source?: Source }>;
  readonly places?: Iterable<ImportedPlace>;
}

/** Observations held at once between reading what is known of their videos and writing them. */
const WRITTEN_TOGETHER = 1000;

function* keptOf<T>(rows: Iterable<T>, isKept: (row: T) => boolean): Generator<T> {
  for (const row of rows) if (isKept(row)) yield row;
}

/** Writes videos or their counts, after what the lake knows of them was read, many at once. */
const writeVideos = <T extends { observed: VideoObservation }>(
  loader: Loader,
  observations: Iterable<T>,
  { seenOf, more }: { seenOf: (observation: T) => Seen; more: 'tags' | 'nothing' },
  tally: Tally,
): void => {
  let some: T[] = [];
  const write = (): void => {
    loader.expect(
      some.map((observation) => ({ observed: observation.observed, at: seenOf(observation).at })),
      more,
    );
    for (const observation of some) loader.write(observation.observed, seenOf(observation), tally);
    some = [];
  };
  for (const observation of observations) {
    some.push(observation);
    if (some.length === WRITTEN_TOGETHER) write();
  }
  write();
};

/** Writes ranks of imported lists. Each instant of a list is one complete capture. */
const writePlaces = (
  { sqlite }: Lake,
  loader: Loader,
  places: Iterable<ImportedPlace>,
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
 * Loads observations as an import holds them, in one transaction; `within` runs inside it, after
 * them; their words wait for `refreshSearch`. Loading the same batch again changes nothing.
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
    const isKept = ({ observed }: { observed: VideoObservation }): boolean =>
      !erased.dropsVideo(observed);
    writeVideos(
      loader,
      keptOf(videos, isKept),
      { seenOf: ({ at }) => ({ at, source: null }), more: 'tags' },
      tally,
    );
    writeVideos(
      loader,
      keptOf(snapshots, isKept),
      { seenOf: ({ at, source = 'import' }) => ({ at, source }), more: 'nothing' },
      tally,
    );
    writePlaces(lake, loader, places, tally);
    for (const hashtag of hashtags) loader.hashtags.write(hashtag, tally);
    const isCreatorKept = (creator: SeenCreator): boolean =>
      !erased.drops({ kind: 'creator', ...creator });
    for (const creator of keptOf(creators, isCreatorKept))
      loader.creators.write(creator, creator.source ?? 'import', tally);
  };
  return loader.transaction(load, within, 'later', collectedAt);
};
