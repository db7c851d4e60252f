import type Database from 'better-sqlite3';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { prepare, required } from '../../lake/prepare.ts';

/** Instant of the newest observation at or before `now`. */
export const newestObservation = (sqlite: Database.Database, now: number): number | undefined =>
  required(
    prepare(
      sqlite,
      'select max(observed_at) from video_snapshot where observed_at <= ?',
      'number?',
    ).get(now),
  ) ?? undefined;

/** Platforms with a video. */
export const platformsSeen = (sqlite: Database.Database): Platform[] => {
  const has = sqlite.prepare('select 1 from video where platform = ? limit 1');
  return PLATFORMS.filter((platform) => has.get(platform) !== undefined);
};

/** Videos with an older newest snapshot are not tracked. */
export const TRACKED_MS = 48 * HOUR_MS;
