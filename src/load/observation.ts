import type { Platform } from '../../schema/vocabulary.ts';

// What is loaded: checked facts with the instant they were true at (Unix ms). A null field says
// "not known" and never erases what is known. `extra` holds fields the interface does not show.

type Extra = Record<string, unknown> | null;

/** What a video is, whatever its counts. */
export interface VideoObservation {
  id: string;
  platform: Platform;
  /** Null where the source does not say when it looked. */
  seenAt: number | null;
  title: string | null;
  user: string | null;
  createdAt: number | null;
  /** As listed with the video; null: parse them from the title. */
  hashtags: string[] | null;
  extra: Extra;
}

/** A video's counts at one instant. `title` and `user` where they changed at it. */
export interface SnapshotObservation {
  id: string;
  platform: Platform;
  at: number;
  views: number | null;
  likes: number | null;
  title?: string | null;
  user?: string | null;
  extra: Extra;
}

/** A hashtag's volume at one instant, on one platform or, as '', over all. */
export interface HashtagObservation {
  tag: string;
  platform: Platform | '';
  at: number;
  volume: number | null;
  views: number | null;
  extra: Extra;
}

/** A creator's counts at one instant. */
export interface CreatorObservation {
  platform: Platform;
  handle: string;
  at: number;
  followers: number | null;
  videoCount: number | null;
  views: number | null;
  likes: number | null;
  extra: Extra;
}

/** What one transaction loads. */
export interface ObservationBatch {
  videos: VideoObservation[];
  snapshots: SnapshotObservation[];
  hashtags: HashtagObservation[];
  creators: CreatorObservation[];
}
