import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import type { RowOf } from '../../lake/prepare.ts';
import { baselineGuesses } from '../model/baselines.ts';
import { logViews, truthAfter } from '../model/curve.ts';
import { CurveReader, type LakeCurve, modelOf, videoKind } from '../model/lake-curves.ts';
import { type Judged, missesOf } from '../model/misses.ts';
import type { ModelRow } from '../model/model-rows.ts';
import { type JudgedSpan, sampledForecasts } from '../model/stored-forecasts.ts';

const KEPT = {
  videoKey: 'number',
  platform: 'platform',
  createdAt: 'number?',
  madeAt: 'number',
  hours: 'number',
  median: 'number?', // views are null with too few outcomes
  low: 'number?',
  high: 'number?',
  probability: 'number',
} as const;

const OF_VIDEOS = `
  select f.video_key as videoKey, v.platform, v.created_at as createdAt, f.made_at as madeAt,
    f.horizon_hours as hours, f.views_median as median, f.views_low as low, f.views_high as high,
    f.top_probability as probability
  from forecast f indexed by forecast_made_at cross join video v on v.key = f.video_key
  where f.made_at > @from and f.made_at <= @to and f.video_key % @every = 0
    and (f.made_at + f.horizon_hours * ${HOUR_MS} <= @at or f.horizon_hours = 24)
  order by f.video_key, f.made_at, f.horizon_hours`;

/** Stored forecasts of one video and its curve. */
export interface KeptOfVideo {
  readonly platform: Platform;
  readonly curve: LakeCurve;
  /** By instant, then horizon: those that came due, and all of 24 h. */
  readonly rows: readonly RowOf<typeof KEPT>[];
  /** Instant of the curve, Unix ms. */
  readonly at: number;
}

export function* keptForecasts(
  sqlite: Database.Database,
  span: JudgedSpan,
): Generator<KeptOfVideo> {
  const reader = new CurveReader(sqlite);
  const query = { table: 'forecast', sql: OF_VIDEOS, shape: KEPT } as const;
  const byVideo = Map.groupBy(sampledForecasts(sqlite, query, span), ({ videoKey }) => videoKey);
  for (const [videoKey, rows] of byVideo) {
    const { platform, createdAt } = rows[0] as RowOf<typeof KEPT>;
    const curve = reader.curve(videoKey, createdAt, span.at);
    if (curve !== undefined) yield { platform, curve, rows, at: span.at };
  }
}

/** For the usual growth, one of the baselines. */
type Models = ReadonlyMap<string, ModelRow>;

/** Compares views as ln(views + 1000). Leaves out forecasts with an unknown outcome. */
export const judgeViews = (
  models: Models,
  { platform, curve, rows, at }: KeptOfVideo,
): Judged[] => {
  const { points } = curve;
  const row = modelOf(models, platform, curve.way);
  const kind = row?.kind ?? videoKind(curve.way);
  const usual = row?.model.usual;
  return rows.flatMap(({ madeAt, hours, median, low, high }): Judged[] => {
    const isDue = madeAt + hours * HOUR_MS <= at;
    if (!isDue || median === null || low === null || high === null) return [];
    const position = points.findIndex((point) => point.at === madeAt);
    if (position < 0) return [];
    const truth = truthAfter(points, position, hours);
    if (truth === undefined) return [];
    const guesses = baselineGuesses(usual, curve, position, hours);
    const misses = missesOf({ median, low, high }, guesses, { truth, log: logViews });
    return [{ platform, kind, madeAt, hours, ...misses }];
  });
};

export const judgeForecasts = (
  sqlite: Database.Database,
  models: Models,
  span: JudgedSpan,
): Judged[] => [...keptForecasts(sqlite, span)].flatMap((kept) => judgeViews(models, kept));
