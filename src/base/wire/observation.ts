import type { Platform } from '../../../schema/vocabulary.ts';

/** Fields that the interface does not show, as they came: an object, or its JSON. */
export type Extra = Readonly<Record<string, unknown>> | string | null;

/**
 * What was seen of one video, checked: an item of a list, a point of its timeline, a line of an
 * import. A null field says "not known" and never erases what is known. Times are Unix ms.
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

/** An observation of counts alone: of the video it says what its id tells. */
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
