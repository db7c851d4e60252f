import type Database from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { ModelScores } from '../../learn/model/model-rows.ts';
import { type Finding, toThousandths, type Window } from './event.ts';
import type { ForecastEvidence } from './evidence.ts';
import type { AllThresholds } from './thresholds.ts';
import type { KnownSnapshot } from './timeline.ts';

/** Forecast of a video at one of its snapshots, by a trusted model. */
export interface StatedForecast {
  readonly at: number; // Unix ms; the snapshot it stands on
  readonly firstSeenAt: number; // of the video
  readonly probability: number; // of ending in the top tenth of its cohort
  /** From this probability on naming had the precision asked for. */
  readonly threshold: number;
  readonly samples: number; // finished curves the model was learnt from
  readonly median: number | null; // views a day later
  readonly low: number | null;
  readonly high: number | null;
}

/** An earlier forecast counts as the one before for so long. */
const BEFORE_MS = 7 * DAY_MS;
/** Not looking is not a rise: nothing is named across a longer gap. */
const MAX_GAP_MS = 36 * HOUR_MS;

/**
 * `trend.spike` where forecasts are trusted: at a snapshot the probability to end on top is at or over
 * the threshold. The first snapshot is the baseline, and a snapshot after a gap is one too. A video that
 * was over the threshold when forecasts began has not just begun to rise: the forecast before must
 * have been under it, or the video be first seen within 36 h. The window is the interval that ends
 * at the snapshot.
 * @param snapshots known ones, oldest first
 * @param stated forecasts, oldest first
 */
export const forecastFindings = (
  snapshots: readonly KnownSnapshot[],
  createdAt: number | null,
  stated: readonly StatedForecast[],
): Finding[] =>
  stated.flatMap(({ at, probability, threshold, ...rest }, index): Finding[] => {
    const position = snapshots.findIndex((snapshot) => snapshot.at === at);
    const [now, before] = [snapshots[position], snapshots[position - 1]];
    if (now === undefined || before === undefined || at - before.at > MAX_GAP_MS) return [];
    if (probability < threshold) return [];
    const earlier = stated[index - 1];
    const crosses =
      earlier !== undefined &&
      at - earlier.at <= BEFORE_MS &&
      earlier.probability < earlier.threshold;
    const isNew = at - rest.firstSeenAt <= MAX_GAP_MS;
    if (!crosses && !isNew) return [];
    const gain = now.views - before.views;
    return [
      {
        window: { from: before.at, to: at },
        evidence: {
          rule: 'forecast',
          topProbability: toThousandths(probability),
          threshold,
          samples: rest.samples,
          viewsIn24h: rest.median,
          viewsIn24hLow: rest.low,
          viewsIn24hHigh: rest.high,
          views: now.views,
          viewsBefore: before.views,
          gain,
          viewsPerHour: toThousandths(gain / ((at - before.at) / HOUR_MS)),
          ageHours: createdAt === null ? null : toThousandths((at - createdAt) / HOUR_MS),
          source: now.source ?? null,
        } satisfies ForecastEvidence,
      },
    ];
  });

/** Fewer named curves than this give no precision. */
const LEAST_NAMED = 20;

/** The lowest probability from which naming had the precision asked for; undefined: none has. */
export const thresholdFor = (
  { used, naming }: Pick<ModelScores, 'used' | 'naming'>,
  precision: number,
): number | undefined =>
  used
    ? naming.find(({ named, right }) => named >= LEAST_NAMED && right / named >= precision)
        ?.probability
    : undefined;

interface ModelFacts {
  readonly threshold: number | undefined;
  readonly samples: number;
}

/** Reads what trusted models forecast of videos; the facts of a model are read once. */
export const forecastHistory = (
  sqlite: Database.Database,
  limits: AllThresholds,
): ((keys: readonly number[], span: Window) => Map<number, StatedForecast[]>) => {
  const models = new Map<number, ModelFacts>();
  const facts = prepare(sqlite, 'select platform, samples, scores from models where id = ?', {
    platform: 'platform',
    samples: 'number',
    scores: 'text',
  });
  const factsOf = (id: number): ModelFacts => {
    const known = models.get(id);
    if (known !== undefined) return known;
    const row = required(facts.get(id));
    const scores = JSON.parse(row.scores) as ModelScores;
    const threshold = thresholdFor(scores, limits[row.platform].spike.minPrecision);
    const read = { threshold, samples: row.samples };
    models.set(id, read);
    return read;
  };
  const rows = prepare(
    sqlite,
    `select f.video_key as key, f.made_at as at, f.top_probability as probability, f.model_id as modelId,
       f.views_median as median, f.views_low as low, f.views_high as high, v.first_seen_at as firstSeenAt
     from json_each(?) k cross join forecast f on f.video_key = k.value and f.horizon_hours = 24
     cross join video v on v.key = f.video_key
     where f.made_at > ? and f.made_at <= ? order by f.video_key, f.made_at`,
    {
      key: 'number',
      at: 'number',
      probability: 'number',
      modelId: 'number',
      median: 'number?',
      low: 'number?',
      high: 'number?',
      firstSeenAt: 'number',
    },
  );
  return (keys, span) => {
    const stated = rows
      .all(JSON.stringify(keys), span.from, span.to)
      .flatMap(({ modelId, ...row }) => {
        const { threshold, samples } = factsOf(modelId);
        return threshold === undefined ? [] : [{ ...row, samples, threshold }];
      });
    return Map.groupBy(stated, ({ key }) => key);
  };
};
