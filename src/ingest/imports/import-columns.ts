import { engagementRate } from '../../base/wire/engagement-rate.ts';
import type { WrittenVolume } from '../writers/hashtags.ts';
import type { ImportedPlace, ImportedRows } from './import-records.ts';
import type { Observations } from './observations.ts';

/** Rows as one list a field: a third of the time to hand from thread to thread that objects take. */
type Columns<T> = { readonly [K in keyof T]: readonly T[K][] };

const VIDEO = ['id', 'platform', 'title', 'user', 'createdAt', 'hashtags', 'at', 'extra'] as const;
const COUNTS = [
  'id',
  'platform',
  'at',
  'views',
  'likes',
  'title',
  'user',
  'extra',
  'source',
  'rate',
] as const;
const VOLUME = [
  'tag',
  'platform',
  'at',
  'volume',
  'views',
  'extra',
  'change',
  'rank',
  'window',
  'source',
] as const;

const PLACE = ['id', 'platform', 'at', 'period', 'rank'] as const;

type Each<Of extends readonly unknown[]> = Of[number];
type VideoRow = Pick<Each<ImportedRows['videos']>, Each<typeof VIDEO>>;
type CountsRow = Pick<Each<ImportedRows['snapshots']>, Each<typeof COUNTS>>;
type VolumeRow = Pick<Each<ImportedRows['hashtags']>, Each<typeof VOLUME>>;

/** The rows of a batch, as they go from the thread that reads to the one that writes. */
export interface ImportColumns {
  readonly videos: Columns<VideoRow>;
  readonly snapshots: Columns<CountsRow>;
  readonly hashtags: Columns<VolumeRow>;
  readonly creators: ImportedRows['creators'];
  readonly places: Columns<ImportedPlace>;
}

const columnsOf = <T, K extends keyof T & string>(
  rows: readonly T[],
  names: readonly K[],
): Columns<Pick<T, K>> => {
  const columns: { [Name in K]?: readonly T[Name][] } = {};
  for (const name of names) columns[name] = rows.map((row) => row[name]);
  return columns as Columns<Pick<T, K>>;
};

/** Rows as columns. */
export const importColumns = ({
  videos,
  snapshots,
  hashtags,
  creators,
  places,
}: ImportedRows): ImportColumns => ({
  videos: columnsOf(videos, VIDEO),
  snapshots: columnsOf(snapshots, COUNTS),
  hashtags: columnsOf(hashtags, VOLUME),
  creators,
  places: columnsOf(places, PLACE),
});

/** The value of a row in a column that has one for each row. */
const valueIn = <T>(column: readonly T[], row: number): T => column[row] as T;

function* videosIn(columns: ImportColumns['videos']): Observations['videos'] {
  const noCounts = { views: null, likes: null, engagementRate: null, snapshotExtra: null };
  for (const [row, id] of columns.id.entries()) {
    const observed = {
      id,
      platform: valueIn(columns.platform, row),
      title: valueIn(columns.title, row),
      user: valueIn(columns.user, row),
      createdAt: valueIn(columns.createdAt, row),
      hashtags: valueIn(columns.hashtags, row),
      extra: valueIn(columns.extra, row),
      ...noCounts,
    };
    yield { observed, at: valueIn(columns.at, row) };
  }
}

/** Observations of lines with counts. The rate is computed unless it is stated. */
function* snapshotsIn(columns: ImportColumns['snapshots']): Observations['snapshots'] {
  const unsaid = { createdAt: null, hashtags: null, extra: null };
  for (const [row, id] of columns.id.entries()) {
    const views = valueIn(columns.views, row);
    const likes = valueIn(columns.likes, row);
    const rate = valueIn(columns.rate, row);
    const source = valueIn(columns.source, row) ?? 'import';
    const observed = {
      id,
      platform: valueIn(columns.platform, row),
      title: valueIn(columns.title, row),
      user: valueIn(columns.user, row),
      views,
      likes,
      engagementRate: rate === 'unknown' ? null : (rate ?? engagementRate({ views, likes })),
      snapshotExtra: valueIn(columns.extra, row),
      ...unsaid,
    };
    yield { observed, at: valueIn(columns.at, row), source };
  }
}

function* volumesIn(columns: ImportColumns['hashtags']): Generator<WrittenVolume> {
  for (const [row, tag] of columns.tag.entries())
    yield {
      tag,
      platform: valueIn(columns.platform, row),
      at: valueIn(columns.at, row),
      volume: valueIn(columns.volume, row),
      views: valueIn(columns.views, row),
      extra: valueIn(columns.extra, row),
      change: valueIn(columns.change, row),
      rank: valueIn(columns.rank, row),
      window: valueIn(columns.window, row),
      source: valueIn(columns.source, row),
    };
}

function* creatorsIn(creators: ImportColumns['creators']): Observations['creators'] {
  for (const { extra, profile, source, ...creator } of creators) {
    const snapshotExtra = extra === null ? null : JSON.parse(extra);
    const seen = { ...creator, extra: profile, snapshotExtra, growth: [] };
    yield { ...seen, source: source ?? 'import' };
  }
}

function* placesIn(places: ImportColumns['places']): Generator<ImportedPlace> {
  for (const [row, id] of places.id.entries())
    yield {
      id,
      platform: valueIn(places.platform, row),
      at: valueIn(places.at, row),
      period: valueIn(places.period, row),
      rank: valueIn(places.rank, row),
    };
}

/** The rows of columns, each made when it is its turn to be written. */
export const storedBatch = ({
  videos,
  snapshots,
  hashtags,
  creators,
  places,
}: ImportColumns): Observations => ({
  videos: videosIn(videos),
  snapshots: snapshotsIn(snapshots),
  hashtags: volumesIn(hashtags),
  creators: creatorsIn(creators),
  places: placesIn(places),
});
