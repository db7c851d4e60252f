/** A probability with its outcome. */
export interface StatedProbability {
  readonly probability: number;
  readonly top: boolean;
}

/** Probabilities of one tenth: count, mean, and share that finished on top. */
export interface ReliabilityBin {
  readonly judged: number;
  readonly stated: number;
  readonly came: number;
}

export interface Reliability {
  readonly judged: number;
  /** Mean distance between probability and outcome, over ten bins. */
  readonly error: number;
  readonly brier: number;
  /** From [0, 0.1) to [0.9, 1]. */
  readonly bins: readonly ReliabilityBin[];
}

const BINS = 10;

/** Null without probabilities. */
export const reliabilityOf = (probabilities: readonly StatedProbability[]): Reliability | null => {
  if (probabilities.length === 0) return null;
  const sums = Array.from({ length: BINS }, () => ({ judged: 0, stated: 0, came: 0 }));
  let squares = 0;
  for (const { probability, top } of probabilities) {
    const bin = sums[Math.min(BINS - 1, Math.floor(probability * BINS))] ?? sums[0];
    if (bin === undefined) continue;
    bin.judged += 1;
    bin.stated += probability;
    bin.came += top ? 1 : 0;
    squares += (probability - (top ? 1 : 0)) ** 2;
  }
  return {
    judged: probabilities.length,
    error:
      sums.reduce((sum, { stated, came }) => sum + Math.abs(stated - came), 0) /
      probabilities.length,
    brier: squares / probabilities.length,
    bins: sums.map(({ judged, stated, came }) => ({
      judged,
      stated: stated / Math.max(1, judged),
      came: came / Math.max(1, judged),
    })),
  };
};
