import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { prepare, present } from '../lake/prepare.ts';
import { medianGrowthBy } from './cohort.ts';
import { ageClass, logViews, truthAfter } from './curve.ts';
import { paceBefore, paceGoesOn } from './horizons.ts';
import { CurveReader, kindOf } from './lake-curves.ts';
import type { ModelRow, RecentScore } from './model-rows.ts';

/** How far a median and the baselines lay from what came, on the logarithm they are learnt on. */
export interface Misses {
  readonly error: number;
  readonly countStays: number;
  readonly paceGoesOn: number;
  readonly cohortMedian: number | null; // null: its cohort is not known any more
  readonly inside: boolean;
}

/** One kept forecast held against what came, on ln(views + 1000). */
export interface Judged extends Misses {
  readonly platform: Platform;
  readonly kind: string;
  readonly madeAt: number;
  readonly hours: number;
}

interface ForecastRow {
  videoKey: number;
  platform: Platform;
  createdAt: number | null;
  madeAt: number;
  hours: number;
  median: number;
  low: number;
  high: number;
}

const MOST_ROWS = 20_000;

// Every n-th video, so that a judgement stays bounded and the same lake gives the same one.
const ROWS = `
  select f.video_key as videoKey, v.platform, v.created_at as createdAt, f.made_at as madeAt,
    f.horizon_hours as hours, f.views_median as median, f.views_low as low, f.views_high as high
  from forecast f indexed by forecast_made_at cross join video v on v.key = f.video_key
  where f.made_at > @from and f.made_at <= @to and f.views_median is not null
    and f.video_key % @every = 0
  order by f.video_key, f.made_at, f.horizon_hours`;

/**
 * Holds kept forecasts made between two instants against what the lake knows at `at`; those whose
 * outcome is not known are left out.
 * @param models for the median growth of the cohort, one of the baselines
 */
export const judgeForecasts = (
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  { from, to, at }: { from: number; to: number; at: number },
): Judged[] => {
  const reader = new CurveReader(sqlite);
  const count = present(
    prepare(
      sqlite,
      'select count(*) from forecast where made_at > ? and made_at <= ?',
      'number',
    ).get(from, to),
  );
  const every = Math.max(1, Math.ceil(count / MOST_ROWS));
  const rows = prepare<ForecastRow>(sqlite, ROWS, {
    videoKey: 'number',
    platform: 'text',
    createdAt: 'number?',
    madeAt: 'number',
    hours: 'number',
    median: 'number',
    low: 'number',
    high: 'number',
  }).all({ from, to, every });
  return [...Map.groupBy(rows, ({ videoKey }) => videoKey).values()].flatMap((its) => {
    const { videoKey, createdAt, platform } = its[0] as ForecastRow;
    const curve = reader.curve(videoKey, createdAt, at);
    if (curve === undefined) return [];
    const kind = kindOf(curve.way);
    const cohorts = models.get(`${platform} ${kind}`)?.model.cohorts;
    return its.flatMap(({ madeAt, hours, median, low, high }): Judged[] => {
      const position = curve.points.findIndex((point) => point.at === madeAt);
      const now = curve.points[position];
      if (now === undefined || madeAt + hours * HOUR_MS > at) return [];
      const truth = truthAfter(curve.points, position, hours);
      if (truth === undefined) return [];
      const stays = logViews(now.views);
      const pace = paceGoesOn(now.views, paceBefore(curve.points, position, DAY_MS), hours);
      const since = (now.at - (curve.points[0]?.at ?? now.at)) / HOUR_MS;
      const cohort = cohorts?.[ageClass(curve)];
      const usual =
        cohort === undefined
          ? null
          : medianGrowthBy(cohort, since + hours) - medianGrowthBy(cohort, since);
      return [
        {
          ...{ platform, kind, madeAt, hours },
          error: Math.abs(logViews(median) - truth),
          countStays: Math.abs(stays - truth),
          paceGoesOn: Math.abs(stays + pace - truth),
          cohortMedian: usual === null ? null : Math.abs(stays + usual - truth),
          // the counts of an interval are whole views
          inside: truth >= logViews(low - 1) && truth <= logViews(high + 1),
        },
      ];
    });
  });
};

const middle = (values: readonly number[]): number | null =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? null;

/** Many judgements in one line; null of none. */
export const scoreOf = (judged: readonly Misses[]): RecentScore | null =>
  judged.length === 0
    ? null
    : {
        judged: judged.length,
        error: middle(judged.map(({ error }) => error)) ?? 0,
        countStays: middle(judged.map(({ countStays }) => countStays)) ?? 0,
        paceGoesOn: middle(judged.map((its) => its.paceGoesOn)) ?? 0,
        cohortMedian: middle(judged.flatMap(({ cohortMedian }) => cohortMedian ?? [])),
        coverage: judged.filter(({ inside }) => inside).length / judged.length,
      };

/** Fewer judgements say nothing against a model. */
const LEAST_JUDGED = 200;

/** Why a model is not to be used, going by its forerunners' last four weeks; null: it is. */
export const reasonAgainst = (recent: RecentScore | null): string | null => {
  if (recent === null || recent.judged < LEAST_JUDGED) return null;
  const baselines = {
    'the last count stays': recent.countStays,
    'the pace goes on': recent.paceGoesOn,
    "the cohort's median growth": recent.cohortMedian,
  };
  for (const [name, error] of Object.entries(baselines))
    if (error !== null && error < recent.error)
      return `over the last four weeks its median error was ${recent.error.toFixed(3)}, that of "${name}" ${error.toFixed(3)}`;
  return null;
};
