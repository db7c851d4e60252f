import type { RecentScore } from './model-rows.ts';

/** How far a median and the baselines lay from what came, on the logarithm they are learnt on. */
export interface Misses {
  readonly error: number;
  readonly countStays: number;
  readonly paceGoesOn: number;
  readonly cohortMedian: number | null; // null: its cohort is not known any more
  readonly inside: boolean;
}

/** What was forecast, in counts: the median and the limits of its interval. */
export interface ForecastRange {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** What guesses that know nothing would have told, on the logarithm; null: its cohort is not known. */
export interface BaselineGuesses {
  readonly countStays: number;
  readonly paceGoesOn: number;
  readonly cohortMedian: number | null;
}

/** One forecast held against what came (`truth`, on the logarithm `log` of a count). */
export const missesOf = (
  { median, low, high }: ForecastRange,
  { countStays, paceGoesOn, cohortMedian }: BaselineGuesses,
  { truth, log }: { readonly truth: number; readonly log: (count: number) => number },
): Misses => ({
  error: Math.abs(log(median) - truth),
  countStays: Math.abs(countStays - truth),
  paceGoesOn: Math.abs(paceGoesOn - truth),
  cohortMedian: cohortMedian === null ? null : Math.abs(cohortMedian - truth),
  inside: truth >= log(low - 1) && truth <= log(high + 1), // the limits are whole counts
});

const middle = (values: readonly number[]): number | null =>
  Float64Array.from(values).sort()[values.length >> 1] ?? null;

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
