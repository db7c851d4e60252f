import { PLATFORMS, type Platform, SOURCES } from '../../../schema/vocabulary.ts';
import { foldName } from '../../base/wire/folding.ts';
import type { Lake } from '../open.ts';
import type { RowOf } from '../prepare.ts';
import { prepared } from '../statements.ts';

/** A hashtag that the lake had seen by an instant. */
export interface KnownHashtag {
  readonly key: number; // hashtag.key
  readonly tag: string;
}

const BY_NAME = `select key, tag from hashtag h where folded = @folded and (first_seen_at <= @asOf or (
  first_seen_at is null and exists (select 1 from video_hashtag vh join video v on v.key = vh.video_key
    where vh.hashtag_key = h.key and v.first_seen_at <= @asOf)))`;

/** The hashtag of that name (in any spelling, with # or without) as of an instant (Unix ms), or undefined. */
export const hashtagAsOf = (lake: Lake, name: string, asOf: number): KnownHashtag | undefined =>
  prepared(lake, BY_NAME, { key: 'number', tag: 'text' }).get({
    folded: foldName(name.replace(/^#/, '')),
    asOf,
  });

/** Volumes of a hashtag at one instant (Unix ms), over all platforms and over each; null: not stated. */
export interface HashtagVolumes {
  readonly at: number;
  readonly all: number | null;
  readonly parts: Readonly<Record<Platform, number | null>>;
}

/** Volumes of one source and window. Series of different ones cannot be compared. */
export interface VolumeSeries {
  /** `hashtags`: as pulled; `seen`: counted over the videos seen; `import`: as imported. */
  readonly source: (typeof SOURCES)[number];
  /** Window of the volumes, such as `30d`; null: unknown. */
  readonly window: string | null;
  readonly points: readonly HashtagVolumes[]; // oldest first
}

const ROW = {
  platform: 'platforms',
  at: 'number',
  volume: 'number?',
  source: 'number',
  window: 'text?',
} as const;
type Row = RowOf<typeof ROW>;

const VOLUMES = `select platform, observed_at as at, volume, source, window from hashtag_snapshot
  where hashtag_key = +@key and observed_at <= @asOf and volume is not null order by observed_at`;

const pointOf = (at: number, rows: readonly Row[]): HashtagVolumes => {
  const on = (platform: Platform | ''): number | null =>
    rows.find((row) => row.platform === platform)?.volume ?? null;
  const parts = Object.fromEntries(PLATFORMS.map((name) => [name, on(name)]));
  return { at, all: on(''), parts: parts as Record<Platform, number | null> };
};

/** Volumes of a hashtag until an instant, each source and window for itself, the longest series first. */
export const readHashtagHistory = (lake: Lake, key: number, asOf: number): VolumeSeries[] => {
  const rows = prepared(lake, VOLUMES, ROW).all({ key, asOf });
  const series = Map.groupBy(rows, ({ source, window }) => `${source} ${window ?? ''}`);
  return [...series.values()]
    .map((own) => ({
      source: SOURCES[own[0]?.source ?? 0] as (typeof SOURCES)[number],
      window: own[0]?.window ?? null,
      points: [...Map.groupBy(own, ({ at }) => at)].map(([at, then]) => pointOf(at, then)),
    }))
    .toSorted((a, b) => b.points.length - a.points.length);
};
