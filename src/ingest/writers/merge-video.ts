import type { Source } from '../../../schema/vocabulary.ts';
import type { VideoObservation } from '../../base/wire/observation.ts';
import { mergeExtra } from './join-extra.ts';

/** An observation with its instant (Unix ms; null: unknown) and its further fields as JSON. */
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

/** Known facts of a video. Instants are Unix ms. */
export interface KnownVideo extends VideoFacts {
  key: number;
  /** Its newest snapshot; null without any. */
  countedAt: number | null;
  /** Newest instant at which words changed; null: never. */
  statedAt: number | null;
}

/** Source of an observation whose counts make a snapshot. */
export type SnapshotSource = Exclude<Source, 'hashtags'>;

/** Merges a column: the newer value wins if it is known, an older one only fills a gap. */
export const pickOf =
  (newer: boolean) =>
  <T>(was: T | null, is: T | null): T | null =>
    newer ? (is ?? was) : (was ?? is);

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** Last sighting of a video (Unix ms): its newest snapshot or words, or its first sighting. */
export const lastSeenOf = ({ countedAt, statedAt, firstSeenAt }: KnownVideo): number | null =>
  statedAt === null ? (countedAt ?? firstSeenAt) : Math.max(statedAt, countedAt ?? statedAt);

/**
 * Merges an observation into a row, column by column, by the rule of `pickOf`. Counts are compared with the
 * newest counts, because an import may state words that are newer. Repeating it changes nothing.
 */
export const mergeVideo = (
  known: KnownVideo,
  seen: Omit<SeenVideo, 'id' | 'platform' | 'hashtags' | 'snapshotExtra'>,
): VideoFacts => {
  const isNewerThan = (last: number | null): boolean =>
    last === null || (seen.at !== null && seen.at >= last);
  const newer = isNewerThan(lastSeenOf(known));
  const pick = pickOf(newer);
  const pickCount = pickOf(isNewerThan(known.countedAt));
  return {
    title: pick(known.title, seen.title),
    user: pick(known.user, seen.user),
    views: pickCount(known.views, seen.views),
    likes: pickCount(known.likes, seen.likes),
    engagementRate: pickCount(known.engagementRate, seen.engagementRate),
    createdAt: pick(known.createdAt, seen.createdAt),
    firstSeenAt: earliest(known.firstSeenAt, seen.at),
    extra: mergeExtra(known.extra, seen.extra, newer),
  };
};

/** True if the video was seen before an instant. */
export const wasSeenBefore = ({ firstSeenAt }: KnownVideo, at: number | null): at is number =>
  at !== null && firstSeenAt !== null && firstSeenAt < at;

/** An observation that states words (title, handle or hashtags), and when. */
export type StatingVideo = SeenVideo & { at: number };

/** True if an observation states words and has a time. */
export const statesWords = (seen: SeenVideo): seen is StatingVideo =>
  seen.at !== null &&
  (seen.title !== null || seen.user !== null || (seen.hashtags?.length ?? 0) > 0);

/** True if nothing but the counts differs. */
export const sameButCounts = (a: VideoFacts, b: VideoFacts): boolean =>
  a.title === b.title &&
  a.user === b.user &&
  a.createdAt === b.createdAt &&
  a.firstSeenAt === b.firstSeenAt &&
  a.extra === b.extra;

/** True if the row would not change. */
export const sameVideo = (a: VideoFacts, b: VideoFacts): boolean =>
  a.views === b.views &&
  a.likes === b.likes &&
  a.engagementRate === b.engagementRate &&
  sameButCounts(a, b);
