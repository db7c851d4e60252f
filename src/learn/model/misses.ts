import type { Platform } from '../../../schema/vocabulary.ts';
import { middle } from './quantiles.ts';

/** A horizon that is not shown. */
export interface WithheldHorizon {
  readonly hours: number;
  readonly reason: string;
}

/** Forecasts compared with outcomes. Errors are medians of |ln(views + 1000) - outcome|. */
export interface RecentScore {
  readonly judged: number;
  readonly error: number;
  readonly countStays: number;
  readonly paceGoesOn: number;
  readonly cohortMedian: number | null; // null: unknown
  /** Share of outcomes inside the 80 % intervals. */
  readonly coverage: number;
}

/** The median and the limits of its interval: counts, or growth as a logarithm. */
export interface ForecastRange {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Guesses without a model, as logarithms. */
export interface BaselineGuesses {
  readonly countStays: number;
  readonly paceGoesOn: number;
  readonly cohortMedian: number | null; // null: unknown cohort
}

/** Distances of the median and the baselines from the outcome, as logarithms. */
export interface Misses extends BaselineGuesses {
  readonly error: number;
  readonly inside: boolean;
}

/** One stored forecast compared with the outcome. */
export interface Judged extends Misses {
  readonly platform: Platform | ''; // '' for hashtags of all platforms
  readonly kind: string;
  readonly madeAt: number; // Unix ms
  readonly hours: number;
}

/** Distances of the baselines from the outcome. */
export const baselineMisses = (
  { countStays, paceGoesOn, cohortMedian }: BaselineGuesses,
  truth: number,
): BaselineGuesses => ({
  countStays: Math.abs(countStays - truth),
  paceGoesOn: Math.abs(paceGoesOn - truth),
  cohortMedian: cohortMedian === null ? null : Math.abs(cohortMedian - truth),
});

/** @param truth the outcome, as `log` of a count */
export const missesOf = (
  { median, low, high }: ForecastRange,
  guesses: BaselineGuesses,
  { truth, log }: { readonly truth: number; readonly log: (count: number) => number },
): Misses => ({
  ...baselineMisses(guesses, truth),
  error: Math.abs(log(median) - truth),
  inside: truth >= log(low - 1) && truth <= log(high + 1), // the limits are whole counts
});

/** Null without judgements. */
export const scoreOf = (judged: readonly Misses[]): RecentScore | null =>
  judged.length === 0
    ? null
    : {
        judged: judged.length,
        error: middle(judged.map(({ error }) => error)) ?? 0,
        countStays: middle(judged.map(({ countStays }) => countStays)) ?? 0,
        paceGoesOn: middle(judged.map(({ paceGoesOn }) => paceGoesOn)) ?? 0,
        cohortMedian: middle(judged.flatMap(({ cohortMedian }) => cohortMedian ?? [])) ?? null,
        coverage: judged.filter(({ inside }) => inside).length / judged.length,
      };

/** Forecasts are never rejected on fewer judgements. */
const LEAST_JUDGED = 200;
/** Share of the best baseline's error that a forecast may have. */
const MOST_OF_BASELINE = 0.9;
/** Smaller errors are as good as none: half a percent of the views. */
const NEGLIGIBLE = 0.005;

/** Reason to reject forecasts with such a score; null: use them. */
export const reasonAgainst = (score: RecentScore | null): string | null => {
  if (score === null || score.judged < LEAST_JUDGED) return null;
  const baselines = {
    'the last count stays': score.countStays,
    'the pace goes on': score.paceGoesOn,
    "the cohort's median growth": score.cohortMedian,
  };
  for (const [name, error] of Object.entries(baselines))
    if (error !== null && score.error > Math.max(MOST_OF_BASELINE * error, NEGLIGIBLE))
      return `the median error is ${score.error.toFixed(3)}, and "${name}" has ${error.toFixed(3)}`;
  return null;
};
