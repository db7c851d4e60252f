import type { Platform } from '../../../schema/vocabulary.ts';

/** Fields outside the interface: an object, or its JSON. */
export type Extra = Readonly<Record<string, unknown>> | string | null;

/**
 * A validated observation of one video, from a list, a timeline or an import. Null means unknown
 * and never erases known values. Instants are Unix ms.
 */
export interface VideoObservation {
  id: string;
  platform: Platform;
  title: string | null;
  user: string | null;
  views: number | null;
  likes: number | null;
  /** Percent. */
  engagementRate: number | null;
  createdAt: number | null;
  /** As listed with the video; null: read them from the title. */
  hashtags: string[] | null;
  /** Further fields of the video. */
  extra: Extra;
  /** Further fields of its counts at the instant it was seen. */
  snapshotExtra: Extra;
}

export const countsOnly = (
  counts: Pick<VideoObservation, 'id' | 'platform' | 'views' | 'likes' | 'engagementRate'> & {
    extra: Extra;
  },
): VideoObservation => ({
  ...counts,
  title: null,
  user: null,
  createdAt: null,
  hashtags: null,
  extra: null,
  snapshotExtra: counts.extra,
});
