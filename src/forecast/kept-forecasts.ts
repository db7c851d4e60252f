import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { prepare, present, type ShapeOf } from '../lake/prepare.ts';
import { CurveReader, type LakeCurve } from './lake-curves.ts';

/** Forecasts made after `from` and until `to`, judged by what the lake knows at `at`; all Unix ms. */
export interface JudgedSpan {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** Kept forecasts as they are read; the query is given `@from`, `@to`, `@at` and takes each `@every`-th subject. */
interface KeptQuery<Row> {
  readonly table: 'forecast' | 'hashtag_forecast';
  readonly sql: string;
  readonly shape: ShapeOf<Row>;
  /** So many rows of the table make one that is read. */
  readonly rowsEach?: number;
}

const MOST_ROWS = 20_000;

/** Kept forecasts of every n-th subject, so that a judgement stays bounded and the same lake gives the same one. */
export const sampledForecasts = <Row>(
  sqlite: Database.Database,
  { table, sql, shape, rowsEach = 1 }: KeptQuery<Row>,
  span: JudgedSpan,
): Row[] => {
  const count = present(
    prepare(
      sqlite,
      `select count(*) from ${table} where made_at > @from and made_at <= @to`,
      'number',
    ).get({ from: span.from, to: span.to }),
  );
  const every = Math.max(1, Math.ceil(count / rowsEach / MOST_ROWS));
  return prepare<Row>(sqlite, sql, shape).all({ ...span, every });
};

/** A kept forecast of a video, made at one of its snapshots. */
export interface VideoForecast {
  readonly videoKey: number;
  readonly platform: Platform;
  readonly createdAt: number | null;
  readonly madeAt: number;
}

/** The shape of what every query of forecasts of videos gives. */
export const OF_A_VIDEO = {
  videoKey: 'number',
  platform: 'text',
  createdAt: 'number?',
  madeAt: 'number',
} as const;

/** SQL of forecasts of videos: those of `OF_A_VIDEO` and further columns of `forecast f`, where a condition holds. */
export const videoForecasts = (columns: string, condition: string): string => `
  select f.video_key as videoKey, v.platform, v.created_at as createdAt, f.made_at as madeAt, ${columns}
  from forecast f indexed by forecast_made_at cross join video v on v.key = f.video_key
  where f.made_at > @from and f.made_at <= @to and ${condition} and f.video_key % @every = 0
  order by f.video_key, f.made_at, f.horizon_hours`;

/** Judges sampled forecasts video by video, each with its curve as known at `span.at`, where one is. */
export const judgeByVideo = <Row extends VideoForecast, Judged>(
  sqlite: Database.Database,
  query: Omit<KeptQuery<Row>, 'table'>,
  span: JudgedSpan,
  judge: (curve: LakeCurve, forecasts: readonly Row[], platform: Platform) => Judged[],
): Judged[] => {
  const reader = new CurveReader(sqlite);
  const rows = sampledForecasts<Row>(sqlite, { ...query, table: 'forecast' }, span);
  return [...Map.groupBy(rows, ({ videoKey }) => videoKey)].flatMap(([videoKey, its]) => {
    const [first] = its;
    if (first === undefined) return [];
    const curve = reader.curve(videoKey, first.createdAt, span.at);
    return curve === undefined ? [] : judge(curve, its, first.platform);
  });
};
