import type Database from 'better-sqlite3';
import { type Platform, SOURCES, type Source } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { type Prepared, prepare, required } from '../../lake/prepare.ts';
import { HASHTAG_KINDS } from '../model/model-rows.ts';
import type { DailyVolumes, Volume } from './volume-series.ts';

/** Comparable volumes; platform '' means all. */
export interface VolumeGroup {
  readonly platform: Platform | '';
  readonly source: number; // position in SOURCES
  /** Such as `30d`; null: unknown. */
  readonly window: string | null;
}

/** `hashtag.<source>.<window>` */
export const volumeKind = ({ source, window }: VolumeGroup): string =>
  `${HASHTAG_KINDS}${SOURCES[source] as Source}.${window ?? 'any'}`;

/** Hashtags with an older newest volume are not tracked. */
export const TAG_TRACKED_MS: number = 48 * HOUR_MS;
const LOOKBACK_MS = 182 * DAY_MS;
const MOST_ROWS = 400_000;
const MOST_TAGS = 20_000;

const GROUPS = `
  select distinct platform, source, window from hashtag_snapshot indexed by hashtag_snapshot_observed_at
  where observed_at > @from and observed_at <= @at and volume is not null order by platform, source, window`;

const OF_GROUP =
  'platform = @platform and source = @source and window is @window and volume is not null';

// the last volume of each day: SQLite gives the bare columns of the row that max() chose
const SERIES = `
  select hashtag_key as key, max(observed_at) as at, volume from hashtag_snapshot indexed by hashtag_snapshot_observed_at
  where observed_at > @from and observed_at <= @at and ${OF_GROUP} and hashtag_key % @every = 0
  group by hashtag_key, observed_at / ${DAY_MS} order by hashtag_key, at`;

const TRACKED = `
  select distinct hashtag_key from hashtag_snapshot indexed by hashtag_snapshot_observed_at
  where observed_at > @from and observed_at <= @at and ${OF_GROUP} order by hashtag_key limit ${MOST_TAGS}`;

const OF_TAG = `
  select max(observed_at) as at, volume from hashtag_snapshot
  where hashtag_key = @key and observed_at > @from and observed_at <= @at and ${OF_GROUP}
  group by observed_at / ${DAY_MS} order by at`;

/** Reads the last volume of each day, as known at an instant, of the last half year. */
export class VolumeReader {
  readonly #sqlite: Database.Database;
  readonly #ofTag: Prepared<Volume>;

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite;
    this.#ofTag = prepare(sqlite, OF_TAG, { at: 'number', volume: 'number' });
  }

  /** Groups with a volume of the last two days. */
  groups(at: number): VolumeGroup[] {
    return prepare(this.#sqlite, GROUPS, {
      platform: 'platforms',
      source: 'number',
      window: 'text?',
    }).all({ from: at - TAG_TRACKED_MS, at });
  }

  /** Oldest volume that may teach, or `at`. */
  since(at: number): number {
    const first = required(
      prepare(
        this.#sqlite,
        'select min(observed_at) from hashtag_snapshot where observed_at > ? and observed_at <= ?',
        'number?',
      ).get(at - LOOKBACK_MS, at),
    );
    return first ?? at;
  }

  /** Series to learn from; of very many rows, every n-th tag. */
  teaching(group: VolumeGroup, at: number): DailyVolumes[] {
    const from = at - LOOKBACK_MS;
    const count = required(
      prepare(
        this.#sqlite,
        'select count(*) from hashtag_snapshot where observed_at > ? and observed_at <= ?',
        'number',
      ).get(from, at),
    );
    const every = Math.max(1, Math.ceil(count / MOST_ROWS));
    const shape = { key: 'number', at: 'number', volume: 'number' } as const;
    const rows = prepare(this.#sqlite, SERIES, shape).iterate({ ...group, from, at, every });
    return [...Map.groupBy(rows, ({ key }) => key)].map(([key, volumes]) => ({ key, volumes }));
  }

  /** Tags of a group with a volume of the last two days. */
  tracked(group: VolumeGroup, at: number): number[] {
    return prepare(this.#sqlite, TRACKED, 'number').all({
      ...group,
      from: at - TAG_TRACKED_MS,
      at,
    });
  }

  series(group: VolumeGroup, key: number, at: number): DailyVolumes {
    const volumes = this.#ofTag.all({ ...group, key, from: at - LOOKBACK_MS, at });
    return { key, volumes };
  }
}

/** Instant of the newest volume at or before `now`. */
export const newestVolume = (sqlite: Database.Database, now: number): number | undefined =>
  required(
    prepare(
      sqlite,
      'select max(observed_at) from hashtag_snapshot where observed_at <= ?',
      'number?',
    ).get(now),
  ) ?? undefined;
