import { DAY_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { type AnalyzedVideo, NEAREST_TAGS, type NicheGroup } from './cohorts.ts';

/** Videos of other creators that share rare hashtags with a video and were published around the same time. */
export interface AlikeVideos {
  /** Shared hashtags, rarest first. */
  readonly tags: readonly string[];
  /** Number of other creators. */
  readonly creators: number;
  /** Most viewed first, one a creator, at most 5. */
  readonly videos: readonly AnalyzedVideo[];
}

const WITHIN_MS = 14 * DAY_MS;
const SHOWN_MOST = 5;

export const alikeOf = (subject: AnalyzedVideo, niche: NicheGroup): AlikeVideos => {
  const { createdAt } = subject;
  const own = foldHandle(subject.user ?? '');
  const best = new Map<string, AnalyzedVideo>();
  for (const video of niche.nearest.toSorted((a, b) => b.views - a.views)) {
    const user = foldHandle(video.user ?? '');
    const isNear =
      createdAt !== null &&
      video.createdAt !== null &&
      Math.abs(video.createdAt - createdAt) <= WITHIN_MS;
    if (isNear && user !== '' && user !== own && !best.has(user)) best.set(user, video);
  }
  const videos = [...best.values()].slice(0, SHOWN_MOST);
  return { tags: niche.tags.slice(0, NEAREST_TAGS), creators: best.size, videos };
};
