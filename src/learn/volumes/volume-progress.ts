import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { newestVolume, type VolumeGroup, VolumeReader, volumeKind } from './lake-volumes.ts';
import { LEAST_TAG_WEEKS, LEAST_WATCHED_MS, tagWeeksOf } from './learn-volumes.ts';

/** Progress of a group of volumes towards a first model. */
export interface VolumeProgress {
  readonly platform: VolumeGroup['platform'];
  readonly kind: string;
  readonly finished: number;
  readonly lacking: number;
  /** Days during the first eight weeks, then outcomes. */
  readonly counts: 'days' | 'outcomes';
}

/** Progress of the wanted groups that have volumes of the last two days. */
export const volumeProgress = (
  sqlite: Database.Database,
  now: number,
  wanted: (platform: VolumeGroup['platform'], kind: string) => boolean,
): VolumeProgress[] => {
  const at = newestVolume(sqlite, now);
  if (at === undefined) return [];
  const reader = new VolumeReader(sqlite);
  const days = Math.floor((at - reader.since(at)) / DAY_MS);
  const lacking = LEAST_WATCHED_MS / DAY_MS - days;
  return reader.groups(at).flatMap((group): VolumeProgress[] => {
    const name = { platform: group.platform, kind: volumeKind(group) };
    if (!wanted(name.platform, name.kind)) return [];
    if (lacking > 0) return [{ ...name, finished: days, lacking, counts: 'days' }];
    const finished = tagWeeksOf(reader.teaching(group, at));
    const lackingWeeks = Math.max(0, LEAST_TAG_WEEKS - finished);
    return [{ ...name, finished, lacking: lackingWeeks, counts: 'outcomes' }];
  });
};
