import type { Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';

// Shapes of a creator. Apart from their reader, so that the package's types do not reach SQLite's.

/** A creator as the lake knew them at an instant; unknown numbers are null. */
export interface CreatorProfile {
  readonly handle: string;
  readonly followers: number | null;
  readonly videoCount: number | null;
  readonly views: number | null;
  readonly likes: number | null;
  readonly engagementRate: number | null;
  readonly videos: ContentItem[];
  readonly growth: CreatorSnapshot[]; // oldest first
  readonly extra: Record<string, unknown>;
}

/** Counts of a creator at one instant (Unix ms). */
export interface CreatorSnapshot {
  readonly at: number;
  readonly followers: number | null;
  readonly views: number | null;
  readonly likes: number | null;
}

/** Fields of every creator in the interface, instants ISO 8601. */
export const knownProfile = (
  platform: Platform,
  { extra: _, growth, ...numbers }: CreatorProfile,
) => ({
  platform,
  ...numbers,
  growth: growth.map((snapshot) => ({ ...snapshot, at: isoOf(snapshot.at) })),
});

/** A profile as the interface shows it: further fields behind the known ones. */
export const shownProfile = (platform: Platform, profile: CreatorProfile) => {
  const known = knownProfile(platform, profile);
  return { ...known, ...profile.extra, ...known };
};
