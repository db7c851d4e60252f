import type { VideoObservation } from '../../base/wire/observation.ts';
import { titleHashtags } from '../../base/wire/title-hashtags.ts';
import { withoutSync } from '../../lake/durability.ts';
import { dropListBasis } from '../../lake/lists/list-basis.ts';
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

/** When a video was seen, and how its counts came; without a source it has none. */
export type Seen = { at: number; source: SnapshotSource } | { at: number | null; source: null };

/** A video about to be written, and when it was seen (Unix ms). */
interface Expected {
  readonly observed: VideoObservation;
  readonly at: number | null;
}

const seenVideo = ({ observed, at }: Expected): SeenVideo => ({
  ...observed,
  extra: extraText(observed.extra),
  at,
});

/** When new words are put into the search index: with what was loaded, or by whoever loads (`refreshSearch`). */
export type WordsIndexed = 'now' | 'later';

/** Writes what was observed into one lake, a transaction at a time. */
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
    this.#videos = new VideoWriter(lake, () => this.hashtags.flush());
    this.#snapshots = new SnapshotWriter(lake);
    this.rankings = new RankingWriter(lake);
    this.creators = new CreatorWriter(lake);
  }

  /**
   * Reads what the lake knows of videos that are all about to be written, in this order, many at once;
   * with their hashtags, or nothing more where counts alone were seen. Those it does not hold get their
   * rows.
   */
  expect(expected: readonly Expected[], more: 'tags' | 'nothing' = 'tags'): void {
    this.#videos.expect(
      expected.map(({ observed }) => observed.id),
      more,
    );
    const fresh = expected.filter(({ observed }) => this.#videos.isNew(observed.id));
    this.#videos.insert(fresh.map(seenVideo));
  }

  /**
   * Writes what was observed of a video: its row, its hashtags (of its title, where it lists none and
   * the title is new), and its counts at that instant. Inside `transaction`.
   * @returns the video's key
   */
  write(observed: VideoObservation, seen: Seen, tally: Tally): number {
    const video = this.#videos.note(seenVideo({ observed, at: seen.at }), tally);
    const { title, hashtags } = observed;
    const reads = hashtags === null && (video.isNew || video.retitled);
    const tags = hashtags ?? (reads ? titleHashtags(title ?? '') : []);
    const { at } = seen;
    const { earlier } = video;
    if (earlier !== null)
      this.#videos.weave(video, earlier, this.hashtags.keysOf(tags, earlier.at, tally));
    if (tags.length > 0) {
      const onNew = (): void => {
        if (!video.isNew && earlier === null) this.#videos.retag(video, at);
      };
      const carrier = { key: video.key, tagKeys: this.#videos.tagKeysOf(video) };
      this.hashtags.link(carrier, { tags, at, onNew }, tally);
    }
    if (seen.source !== null) {
      this.#snapshots.write(video.key, observed, seen, tally);
      this.#videos.sawCounts(video, seen.at);
    }
    return video.key;
  }

  /**
   * Runs `write` in one immediate transaction and marks the partitions it touched; it is on disk with
   * the next call that leaves. `settle` runs last, when all rows are written and counted. When either
   * throws, nothing was written. New words are put into the search index with it, or `later` by
   * whoever loads much: until then a search reads them from the videos that wait.
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
      this.hashtags.flush();
      this.#videos.flush(tally);
      tally.markTouched(this.#lake);
      dropListBasis(this.#lake);
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
