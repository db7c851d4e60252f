import type { Lake } from '../lake/open.ts';
import { refreshSearch } from '../search/search-index.ts';
import { engagementRate } from '../wire/engagement-rate.ts';
import { titleHashtags } from '../wire/title-hashtags.ts';
import { analysisWriter } from './analyses.ts';
import { creatorWriter } from './creators.ts';
import { hashtagWriter } from './hashtags.ts';
import type { SeenVideo, SnapshotSource } from './merge-video.ts';
import type { SnapshotObservation } from './observation.ts';
import { rankingWriter } from './rankings.ts';
import { snapshotWriter } from './snapshots.ts';
import type { LoadCounts } from './tally.ts';
import { Tally } from './tally.ts';
import { videoWriter } from './videos.ts';

/** A video with its counts, as lists and profiles show it. */
export interface SeenItem extends Omit<SeenVideo, 'at'> {
  /** As listed with the item; null: parse them from the title. */
  hashtags: string[] | null;
}

/** Everything that can be written into one lake, its statements prepared once. */
export const loaderOf = (lake: Lake): Loader => {
  const known = LOADERS.get(lake);
  if (known !== undefined) return known;
  const loader = makeLoader(lake);
  LOADERS.set(lake, loader);
  return loader;
};
const LOADERS = new WeakMap<Lake, Loader>();
export type Loader = ReturnType<typeof makeLoader>;

const makeLoader = (lake: Lake) => {
  const videos = videoWriter(lake);
  const writeSnapshot = snapshotWriter(lake);
  const hashtags = hashtagWriter(lake);
  const writeCreator = creatorWriter(lake);
  const rankings = rankingWriter(lake);
  const writeAnalysis = analysisWriter(lake);

  const writeVideo = (seen: SeenVideo, tags: string[] | null, tally: Tally): number => {
    const video = videos.write(seen, tally);
    const reads = tags === null && (video.isNew || video.retitled);
    const carried = tags ?? (reads ? titleHashtags(seen.title ?? '') : []);
    const isKnown = !video.isNew;
    hashtags.link(video, carried, seen.at, tally, () => isKnown && videos.retag(seen.id, seen.at));
    return video.key;
  };

  /** Keeps a video and its counts as they were at an instant; returns its key. */
  const writeItem = (item: SeenItem, at: number, source: SnapshotSource, tally: Tally): number => {
    const { id, platform, title, user, views, likes, engagementRate, createdAt, extra } = item;
    const counts = { views, likes, engagementRate };
    const seen = { id, platform, at, title, user, ...counts, createdAt, extra };
    const key = writeVideo(seen, item.hashtags, tally);
    writeSnapshot(key, { at, ...counts, extra: null }, source, tally);
    videos.sawCounts(id, at);
    return key;
  };

  /**
   * Keeps one look at a video's counts. A video never seen otherwise gets a row with what its id
   * tells. The engagement rate is computed where the observation has none of its own.
   */
  const writeCounts = (
    seen: SnapshotObservation & { engagementRate?: number | null },
    source: SnapshotSource,
    tally: Tally,
  ): void => {
    const { id, platform, at, views, likes } = seen;
    const rate =
      seen.engagementRate === undefined ? engagementRate({ views, likes }) : seen.engagementRate;
    const words = { title: seen.title ?? null, user: seen.user ?? null };
    const key = writeVideo(
      {
        id,
        platform,
        at,
        ...words,
        views,
        likes,
        engagementRate: rate,
        createdAt: null,
        extra: null,
      },
      null,
      tally,
    );
    writeSnapshot(
      key,
      { at, views, likes, engagementRate: rate, extra: seen.extra },
      source,
      tally,
    );
    videos.sawCounts(id, at);
  };

  /**
   * Runs `write` in one immediate transaction, marks the partitions it touched and makes new words
   * searchable; `settle` runs last, when all rows are written and counted. When either throws,
   * nothing was written.
   */
  const transaction = (
    write: (tally: Tally) => void,
    settle: (counts: LoadCounts) => void,
  ): LoadCounts => {
    const tally = new Tally();
    try {
      lake.sqlite
        .transaction(() => {
          write(tally);
          videos.flush(tally);
          tally.markTouched(lake);
          refreshSearch(lake.sqlite);
          settle(tally.counts);
        })
        .immediate();
      return tally.counts;
    } catch (error) {
      hashtags.forget();
      videos.forget();
      throw error;
    }
  };
  return {
    expect: videos.expect,
    writeVideo,
    writeItem,
    writeCounts,
    writeCreator,
    writeAnalysis,
    hashtags,
    rankings,
    transaction,
  };
};
