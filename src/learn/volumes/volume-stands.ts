import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { newestVolume, type VolumeGroup, VolumeReader, volumeKind } from './lake-volumes.ts';
import { LEAST_TAG_WEEKS, LEAST_WATCHED_MS, tagWeeksOf } from './learn-volumes.ts';

/** How far a group of volumes is from a first model. */
export interface VolumeStand {
  readonly platform: VolumeGroup['platform'];
  readonly kind: string;
  readonly finished: number;
  readonly lacking: number;
  /** Days until eight weeks were watched, then outcomes. */
  readonly counts: 'days' | 'outcomes';
}

/** Says of every wanted group with volumes of late what was watched of it and what it lacks. */
export const volumeStands = (
  sqlite: Database.Database,
  now: number,
  wanted: (platform: VolumeGroup['platform'], kind: string) => boolean,
): VolumeStand[] => {
  const at = newestVolume(sqlite, now);
  if (at === undefined) return [];
  const reader = new VolumeReader(sqlite);
  const days = Math.floor((at - reader.since(at)) / DAY_MS);
  const lacking = LEAST_WATCHED_MS / DAY_MS - days;
  return reader.groups(at).flatMap((group): VolumeStand[] => {
    const its = { platform: group.platform, kind: volumeKind(group) };
    if (!wanted(its.platform, its.kind)) return [];
    if (lacking > 0) return [{ ...its, finished: days, lacking, counts: 'days' }];
    const finished = tagWeeksOf(reader.teaching(group, at));
    const lackingWeeks = Math.max(0, LEAST_TAG_WEEKS - finished);
    return [{ ...its, finished, lacking: lackingWeeks, counts: 'outcomes' }];
  });
};
