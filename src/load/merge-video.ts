import type { Source } from '../../schema/vocabulary.ts';
import type { VideoObservation } from '../wire/observation.ts';
import { mergeExtra } from './join-extra.ts';

/**
 * An observation as its row merges it: with its instant (Unix ms; null: nobody knows when), its
 * further fields as JSON.
 */
export type SeenVideo = Omit<VideoObservation, 'extra'> & {
  extra: string | null;
  at: number | null;
};

/** A row of table `video` without its keys. */
export interface VideoFacts {
  title: string | null;
  user: string | null;
  views: number | null;
  likes: number | null;
  engagementRate: number | null;
  createdAt: number | null;
  firstSeenAt: number | null;
  extra: string | null;
}

/** What the lake holds of a video; `lastSeenAt` is its newest snapshot, else when it was first seen. */
export interface KnownVideo extends VideoFacts {
  key: number;
  lastSeenAt: number | null;
}

/** How an observation came: its counts make a snapshot, under this source. */
export type SnapshotSource = Exclude<Source, 'hashtags'>;

/**
 * How a column of a known row and of an observation merge: the newer one's value wins, an unknown
 * value never does, and an older observation only fills gaps.
 */
export const pickOf =
  (newer: boolean) =>
  <T>(was: T | null, is: T | null): T | null =>
    newer ? (is ?? was) : (was ?? is);

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/**
 * What a video's row becomes: the newer observation wins column by column, an unknown field keeps
 * what is known, and an older observation only fills gaps. Pure; merging the same again changes
 * nothing.
 */
export const mergeVideo = (
  known: KnownVideo,
  seen: Omit<SeenVideo, 'id' | 'platform' | 'hashtags' | 'snapshotExtra'>,
): VideoFacts => {
  const newer = known.lastSeenAt === null || (seen.at !== null && seen.at >= known.lastSeenAt);
  const pick = pickOf(newer);
  return {
    title: pick(known.title, seen.title),
    user: pick(known.user, seen.user),
    views: pick(known.views, seen.views),
    likes: pick(known.likes, seen.likes),
    engagementRate: pick(known.engagementRate, seen.engagementRate),
    createdAt: pick(known.createdAt, seen.createdAt),
    firstSeenAt: earliest(known.firstSeenAt, seen.at),
    extra: mergeExtra(known.extra, seen.extra, newer),
  };
};

/** Whether something was known of a video before an instant: what is not dated holds always. */
export const wasSeenBefore = ({ firstSeenAt }: KnownVideo, at: number | null): at is number =>
  at !== null && firstSeenAt !== null && firstSeenAt < at;

/** Whether an observation states words of a video that was seen after it. */
export const statesEarlier = (
  { lastSeenAt }: KnownVideo,
  seen: SeenVideo,
): seen is SeenVideo & { at: number } =>
  lastSeenAt !== null &&
  seen.at !== null &&
  seen.at < lastSeenAt &&
  (seen.title !== null || seen.user !== null || (seen.hashtags?.length ?? 0) > 0);

/** True when the columns that have indices stay as they are. */
export const sameIndexed = (a: VideoFacts, b: VideoFacts): boolean =>
  a.user === b.user && a.createdAt === b.createdAt && a.firstSeenAt === b.firstSeenAt;

/** True when nothing but the counts differs. */
export const sameButCounts = (a: VideoFacts, b: VideoFacts): boolean =>
  a.title === b.title && a.extra === b.extra && sameIndexed(a, b);

/** True when a row would not change. */
export const sameVideo = (a: VideoFacts, b: VideoFacts): boolean =>
  a.views === b.views &&
  a.likes === b.likes &&
  a.engagementRate === b.engagementRate &&
  sameButCounts(a, b);
