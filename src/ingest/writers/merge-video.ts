import type { Source } from '../../../schema/vocabulary.ts';
import type { VideoObservation } from '../../base/wire/observation.ts';
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

/** Known facts of a video. Instants are Unix ms. */
export interface KnownVideo extends VideoFacts {
  key: number;
  /** Its newest snapshot; null without any. */
  countedAt: number | null;
  /** The newest instant at which other words were stated; null: none but those it was first seen with. */
  statedAt: number | null;
}

/** Source of an observation whose counts make a snapshot. */
export type SnapshotSource = Exclude<Source, 'hashtags'>;

/**
 * Merges a column of a known row and an observation: the newer value wins, an unknown one never
 * does, and an older observation only fills gaps.
 */
export const pickOf =
  (newer: boolean) =>
  <T>(was: T | null, is: T | null): T | null =>
    newer ? (is ?? was) : (was ?? is);

const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** When a video was seen last: its newest snapshot or words, else its first sight. */
export const lastSeenOf = ({ countedAt, statedAt, firstSeenAt }: KnownVideo): number | null =>
  statedAt === null ? (countedAt ?? firstSeenAt) : Math.max(statedAt, countedAt ?? statedAt);

/**
 * Merges a video's row: the newer observation wins column by column, an unknown field keeps the
 * known value, and an older observation only fills gaps. Counts follow the newest counts, because
 * an import may have seen a video after its last counts. Pure; merging the same again changes
 * nothing.
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

/** True if the video was known before an instant. Undated facts always are. */
export const wasSeenBefore = ({ firstSeenAt }: KnownVideo, at: number | null): at is number =>
  at !== null && firstSeenAt !== null && firstSeenAt < at;

/** An observation that states words (title, handle or hashtags), and when. */
export type StatingVideo = SeenVideo & { at: number };

/** True if an observation states words and has a time. */
export const statesWords = (seen: SeenVideo): seen is StatingVideo =>
  seen.at !== null &&
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
