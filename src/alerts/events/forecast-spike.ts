import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { type Finding, toThousandths } from './event.ts';
import type { ForecastEvidence } from './evidence.ts';
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
