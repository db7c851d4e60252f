/** Type of a column. A `DATE` is a number of days since 1970-01-01; only published files have one. */
export type ParquetType = 'INT64' | 'TIMESTAMP_MILLIS' | 'DOUBLE' | 'UTF8' | 'DATE';

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
  /** False for the columns of the key. */
  readonly optional: boolean;
}

/** Column that names the video or hashtag of a row. */
export interface SubjectColumn {
  readonly column: string;
  /** Table of the subjects, whose column `name` the column has. */
  readonly subjects: 'video' | 'hashtag';
  readonly name: string;
}

/** One table as it appears in Parquet. */
export interface ParquetTable {
  readonly name: string;
  readonly columns: readonly ParquetColumn[];
  /** Key columns; the rows of a file are sorted by them. */
  readonly key: readonly string[];
  /** The time whose UTC day names a row's partition; undefined: one file for the whole table. */
  readonly dateColumn: string | undefined;
  /** Subjects by which a table without dates is divided (`rangesUpTo`). */
  readonly dividedBy: SubjectColumn | undefined;
  /**
   * For rows stored by subject and time: the tables that have the number of rows and of subjects.
   * The key is subject and time. Many days are then read together in the order of the key.
   */
  readonly timelines: { readonly rows: string; readonly subjects: string } | undefined;
}

const parquetTable = (
  name: string,
  key: readonly string[],
  {
    dateColumn,
    dividedBy,
    timelines,
  }: Partial<Pick<ParquetTable, 'dateColumn' | 'dividedBy' | 'timelines'>>,
  columns: Record<string, ParquetType>,
): ParquetTable => ({
  name,
  key,
  dateColumn,
  dividedBy,
  timelines,
  columns: Object.entries(columns).map(([column, type]) => ({
    name: column,
    type,
    optional: !key.includes(column),
  })),
});

/**
 * Every exported table: names, order and types of columns are those of the schema, and a test
 * compares them. Said again here because loading the schema's library takes 200 MB and longer than
 * a night's export.
 */
export const PARQUET_TABLES: readonly ParquetTable[] = [
  parquetTable(
    'videos',
    ['id'],
    { dividedBy: { column: 'id', subjects: 'video', name: 'id' } },
    {
      id: 'UTF8',
      platform: 'UTF8',
      title: 'UTF8',
      user: 'UTF8',
      views: 'INT64',
      likes: 'INT64',
      engagement_rate: 'DOUBLE',
      created_at: 'TIMESTAMP_MILLIS',
      first_seen_at: 'TIMESTAMP_MILLIS',
      last_seen_at: 'TIMESTAMP_MILLIS',
      extra: 'UTF8',
      collected_at: 'TIMESTAMP_MILLIS',
      engagement_rate_shown: 'DOUBLE',
    },
  ),
  parquetTable(
    'video_snapshots',
    ['video_id', 'observed_at'],
    {
      dateColumn: 'observed_at',
      timelines: { rows: 'video_snapshot', subjects: 'video' },
    },
    {
      video_id: 'UTF8',
      observed_at: 'TIMESTAMP_MILLIS',
      views: 'INT64',
      likes: 'INT64',
      engagement_rate: 'DOUBLE',
      source: 'UTF8',
      extra: 'UTF8',
    },
  ),
  parquetTable(
    'rankings',
    ['list', 'platform', 'period', 'captured_at', 'rank'],
    { dateColumn: 'captured_at' },
    {
      list: 'UTF8',
      platform: 'UTF8',
      period: 'UTF8',
      captured_at: 'TIMESTAMP_MILLIS',
      rank: 'INT64',
      video_id: 'UTF8',
      total: 'INT64',
      run_id: 'INT64',
      score: 'DOUBLE',
      velocity: 'DOUBLE',
    },
  ),
  parquetTable(
    'hashtags',
    ['tag'],
    { dividedBy: { column: 'tag', subjects: 'hashtag', name: 'tag' } },
    {
      tag: 'UTF8',
      volume: 'INT64',
      views: 'INT64',
      first_seen_at: 'TIMESTAMP_MILLIS',
      window: 'UTF8',
    },
  ),
  parquetTable(
    'hashtag_snapshots',
    ['tag', 'platform', 'observed_at'],
    { dateColumn: 'observed_at' },
    {
      tag: 'UTF8',
      platform: 'UTF8',
      observed_at: 'TIMESTAMP_MILLIS',
      volume: 'INT64',
      views: 'INT64',
      change: 'DOUBLE',
      rank: 'INT64',
      source: 'UTF8',
      extra: 'UTF8',
      window: 'UTF8',
    },
  ),
  parquetTable(
    'video_hashtags',
    ['video_id', 'tag'],
    { dividedBy: { column: 'video_id', subjects: 'video', name: 'id' } },
    {
      video_id: 'UTF8',
      tag: 'UTF8',
      position: 'INT64',
    },
  ),
  parquetTable(
    'creators',
    ['platform', 'handle'],
    {},
    {
      platform: 'UTF8',
      handle: 'UTF8',
      followers: 'INT64',
      video_count: 'INT64',
      views: 'INT64',
      likes: 'INT64',
      engagement_rate: 'DOUBLE',
      first_seen_at: 'TIMESTAMP_MILLIS',
      last_seen_at: 'TIMESTAMP_MILLIS',
      extra: 'UTF8',
    },
  ),
  parquetTable(
    'creator_snapshots',
    ['platform', 'handle', 'observed_at'],
    { dateColumn: 'observed_at' },
    {
      platform: 'UTF8',
      handle: 'UTF8',
      observed_at: 'TIMESTAMP_MILLIS',
      followers: 'INT64',
      video_count: 'INT64',
      views: 'INT64',
      likes: 'INT64',
      source: 'UTF8',
      extra: 'UTF8',
    },
  ),
  parquetTable(
    'events',
    ['id'],
    { dateColumn: 'occurred_at' },
    {
      id: 'UTF8',
      kind: 'UTF8',
      platform: 'UTF8',
      subject: 'UTF8',
      occurred_at: 'TIMESTAMP_MILLIS',
      detected_at: 'TIMESTAMP_MILLIS',
      origin: 'UTF8',
      data: 'UTF8',
    },
  ),
  parquetTable(
    'forecasts',
    ['video_id', 'made_at', 'horizon_hours'],
    { dateColumn: 'made_at' },
    {
      video_id: 'UTF8',
      made_at: 'TIMESTAMP_MILLIS',
      horizon_hours: 'INT64',
      views_median: 'INT64',
      views_low: 'INT64',
      views_high: 'INT64',
      top_probability: 'DOUBLE',
      model_id: 'INT64',
    },
  ),
  parquetTable(
    'hashtag_forecasts',
    ['tag', 'platform', 'made_at', 'horizon_hours'],
    { dateColumn: 'made_at' },
    {
      tag: 'UTF8',
      platform: 'UTF8',
      made_at: 'TIMESTAMP_MILLIS',
      horizon_hours: 'INT64',
      volume_median: 'INT64',
      volume_low: 'INT64',
      volume_high: 'INT64',
      model_id: 'INT64',
    },
  ),
];
