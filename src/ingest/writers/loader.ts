import type { VideoObservation } from '../../base/wire/observation.ts';
import { titleHashtags } from '../../base/wire/title-hashtags.ts';
import { withoutSync } from '../../lake/durability.ts';
import type { Lake } from '../../lake/open.ts';
import { refreshSearch } from '../../lake/search/search-index.ts';
import { CreatorWriter } from './creators.ts';
import { HashtagWriter } from './hashtags.ts';
import { extraText } from './join-extra.ts';
import type { SeenVideo, SnapshotSource } from './merge-video.ts';
import { RankingWriter } from './rankings.ts';
import { SnapshotWriter } from './snapshots.ts';
import { type LoadCounts, Tally } from './tally.ts';
import { VideoWriter } from './videos.ts';

/** When a video was seen, and the source of its counts. Without a source it has no counts. */
export type Seen = { at: number; source: SnapshotSource } | { at: number | null; source: null };

/** An observation of a video, and when it was seen (Unix ms). */
export interface SeenObservation {
  readonly observed: VideoObservation;
  readonly seen: Seen;
}

const seenVideo = ({ observed, seen }: SeenObservation): SeenVideo => ({
  ...observed,
  extra: extraText(observed.extra),
  at: seen.at,
});

/** When new words enter the search index: in the loading transaction, or later by `refreshSearch`. */
export type WordsIndexed = 'now' | 'later';

/** Writes observations into one lake, a transaction at a time. */
export class Loader {
  readonly hashtags: HashtagWriter;
  readonly rankings: RankingWriter;
  readonly creators: CreatorWriter;
  readonly #lake: Lake;
  readonly #videos: VideoWriter;
  readonly #snapshots: SnapshotWriter;

  constructor(lake: Lake) {
    this.#lake = lake;
    this.hashtags = new HashtagWriter(lake);
    this.#videos = new VideoWriter(lake);
    this.#snapshots = new SnapshotWriter(lake);
    this.rankings = new RankingWriter(lake);
    this.creators = new CreatorWriter(lake);
  }

  /** Writes many observations in order. @returns keys of the videos, one for each observation */
  writeAll(observations: readonly SeenObservation[], tally: Tally): number[] {
    this.#videos.open(observations.map(seenVideo), tally);
    return observations.map(({ observed, seen }) => this.write(observed, seen, tally));
  }

  /**
   * Writes an observation of a video: its row, its hashtags and its counts at that instant. Without
   * listed hashtags, those of a new title are used. Call inside `transaction`.
   * @returns the video's key
   */
  write(observed: VideoObservation, seen: Seen, tally: Tally): number {
    const video = this.#videos.note(seenVideo({ observed, seen }), tally);
    const { key, earlier } = video;
    const { title, hashtags } = observed;
    const readsTitle = hashtags === null && (video.isNew || video.retitled);
    const tags = hashtags ?? (readsTitle ? titleHashtags(title ?? '') : []);
    const { at } = seen;
    if (earlier !== null)
      this.#videos.weave(video, earlier, this.hashtags.keysOf(tags, earlier.at, tally));
    if (tags.length > 0) {
      const onNew = (): void => {
        if (!video.isNew && earlier === null) this.#videos.retag(video, at);
      };
      this.hashtags.link({ key, tags, at, carried: this.#videos.tagKeysOf(video), onNew }, tally);
    }
    if (seen.source !== null) {
      this.#snapshots.write(key, observed, seen, tally);
      this.#videos.sawCounts(video, seen.at);
    }
    return key;
  }

  /**
   * Runs `write` in one immediate transaction and marks the partitions it touched. The rows are synced
   * to disk before the next call leaves. `settle` runs last, when all rows are counted. If either
   * throws, nothing is written. With words indexed `later`, searches read the new videos unindexed.
   * @param collectedAt Unix ms at which the rows were collected; null: unknown
   */
  transaction(
    write: (tally: Tally) => void,
    settle: (counts: LoadCounts) => void,
    words: WordsIndexed = 'now',
    collectedAt: number | null = null,
  ): LoadCounts {
    const tally = new Tally();
    this.#videos.collectedAt = collectedAt;
    const load = this.#lake.sqlite.transaction(() => {
      write(tally);
      this.#videos.flush(tally);
      tally.markTouched(this.#lake);
      if (words === 'now') refreshSearch(this.#lake);
      settle(tally.counts);
    });
    try {
      withoutSync(this.#lake, () => load.immediate());
      return tally.counts;
    } catch (error) {
      this.hashtags.forget();
      this.#videos.forget();
      throw error;
    }
  }
}

/** The loader of a lake, its statements prepared once. */
export const loaderOf = (lake: Lake): Loader => lake.own(Loader);
