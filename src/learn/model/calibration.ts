/** Output of the trees at a point of a curve, with the outcome. The points of a curve share its weight. */
export interface TreePoint {
  readonly logit: number;
  readonly top: boolean;
  readonly weight: number;
}

/** Probability = 1 / (1 + exp(-(scale x logit + shift))). */
export interface Calibration {
  readonly scale: number;
  readonly shift: number;
}

/** Result of naming each video once it reaches a probability. */
export interface NamingStep {
  readonly probability: number;
  readonly named: number;
  readonly right: number;
}

/** Output of the trees at each point of a curve. */
export interface Named {
  readonly top: boolean;
  readonly logits: readonly number[];
}

export const probabilityOf = ({ scale, shift }: Calibration, logit: number): number =>
  1 / (1 + Math.exp(-(scale * logit + shift)));

const NEWTON_STEPS = 25;
/** Regularizes towards the expected scale, so that few curves change little. */
const RIDGE = 20;
/** Trees of few curves are too sure: with so many held-back curves the expected scale is 0. */
const SURE_CURVES = 18;
const LEAST_SCALE = 0.5;
/** Log odds of the share on top, which keeps its probability at any scale. */
const BASE = Math.log(0.1 / 0.9);

/** Platt scaling by Newton steps, kept near scale 1 and shift 0, or nearer to the base with few curves. */
export const calibrationOf = (stated: readonly TreePoint[]): Calibration => {
  const curves = stated.reduce((sum, { weight }) => sum + weight, 0);
  const usual = Math.max(LEAST_SCALE, 1 - SURE_CURVES / Math.max(1, curves));
  const usualShift = BASE * (1 - usual);
  let scale = 1;
  let shift = 0;
  for (let step = 0; step < NEWTON_STEPS; step++) {
    let [gScale, gShift] = [RIDGE * (usual - scale), RIDGE * (usualShift - shift)];
    let [hScale, hBoth, hShift] = [RIDGE, 0, RIDGE];
    for (const { logit, top, weight: share } of stated) {
      const chance = probabilityOf({ scale, shift }, logit);
      const miss = share * ((top ? 1 : 0) - chance);
      const weight = share * chance * (1 - chance);
      gScale += miss * logit;
      gShift += miss;
      hScale += weight * logit * logit;
      hBoth += weight * logit;
      hShift += weight;
    }
    const whole = hScale * hShift - hBoth * hBoth;
    scale += (hShift * gScale - hBoth * gShift) / whole;
    shift += (hScale * gShift - hBoth * gScale) / whole;
  }
  return { scale: Math.min(2, Math.max(0.2, scale)), shift: Math.min(2, Math.max(-2, shift)) };
};

/** One step for each probability of 0.05 to 0.95. */
export const namingOf = (curves: readonly Named[], calibration: Calibration): NamingStep[] => {
  const most = curves.map(({ top, logits }) => ({
    top,
    most: probabilityOf(calibration, Math.max(...logits)),
  }));
  return Array.from({ length: 19 }, (_, i) => {
    const probability = (i + 1) / 20;
    const named = most.filter((curve) => curve.most >= probability);
    return { probability, named: named.length, right: named.filter(({ top }) => top).length };
  });
};
