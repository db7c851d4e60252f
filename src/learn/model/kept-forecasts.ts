import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { prepare, required, type ShapeOf } from '../../lake/prepare.ts';
import { CurveReader, type LakeCurve } from './lake-curves.ts';

/** Forecasts made after `from` and until `to`, judged by the lake as of `at`; all Unix ms. */
export interface JudgedSpan {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** The query has the parameters `@from`, `@to`, `@at`, and `@every` to read each n-th subject. */
interface KeptQuery<Row> {
  readonly table: 'forecast' | 'hashtag_forecast';
  readonly sql: string;
  readonly shape: ShapeOf<Row>;
}

const MOST_ROWS = 12_000;

/** Reads every n-th subject of a large lake. The sample is the same for the same lake. */
export const sampledForecasts = <Row>(
  sqlite: Database.Database,
  { table, sql, shape }: KeptQuery<Row>,
  span: JudgedSpan,
): Row[] => {
  const count = required(
    prepare(
      sqlite,
      `select count(*) from ${table} where made_at > @from and made_at <= @to`,
      'number',
    ).get({ from: span.from, to: span.to }),
  );
  const every = Math.max(1, Math.ceil(count / MOST_ROWS));
  return prepare<Row>(sqlite, sql, shape).all({ ...span, every });
};

/** Views are null with too few outcomes. */
export type KeptRow = [
  videoKey: number,
  platform: Platform,
  createdAt: number | null,
  madeAt: number,
  hours: number,
  median: number | null,
  low: number | null,
  high: number | null,
  topProbability: number,
];

/** Stored forecasts of one video and its curve. */
export interface KeptOfVideo {
  readonly platform: Platform;
  readonly curve: LakeCurve;
  /** By instant, then horizon: those that came due, and all of 24 h. */
  readonly rows: readonly KeptRow[];
  /** Instant of the curve, Unix ms. */
  readonly at: number;
}

const OF_VIDEOS: KeptQuery<KeptRow> = {
  table: 'forecast',
  sql: `
  select f.video_key, v.platform, v.created_at, f.made_at, f.horizon_hours, f.views_median,
    f.views_low, f.views_high, f.top_probability
  from forecast f indexed by forecast_made_at cross join video v on v.key = f.video_key
  where f.made_at > @from and f.made_at <= @to and f.video_key % @every = 0
    and (f.made_at + f.horizon_hours * ${HOUR_MS} <= @at or f.horizon_hours = 24)
  order by f.video_key, f.made_at, f.horizon_hours`,
  shape: [
    'number',
    'text',
    'number?',
    'number',
    'number',
    'number?',
    'number?',
    'number?',
    'number',
  ],
};

export function* keptForecasts(
  sqlite: Database.Database,
  span: JudgedSpan,
): Generator<KeptOfVideo> {
  const reader = new CurveReader(sqlite);
  const sampled = sampledForecasts(sqlite, OF_VIDEOS, span);
  for (const rows of Map.groupBy(sampled, ([videoKey]) => videoKey).values()) {
    const [videoKey, platform, createdAt] = rows[0] as KeptRow;
    const curve = reader.curve(videoKey, createdAt, span.at);
    if (curve !== undefined) yield { platform, curve, rows, at: span.at };
  }
}
