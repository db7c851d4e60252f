/** What the trees gave at a point of a curve, and whether it ended on top. Points of a curve share its weight. */
export interface TreePoint {
  readonly logit: number;
  readonly top: boolean;
  readonly weight: number;
}

/** Turns what the trees say into a probability: 1 / (1 + exp(-(scale x logit + shift))). */
export interface Calibration {
  readonly scale: number;
  readonly shift: number;
}

/** What naming every video at its first snapshot with at least this probability is worth. */
export interface NamingStep {
  readonly probability: number;
  readonly named: number;
  readonly right: number;
}

/** A curve with what the trees gave at each of its points. */
export interface Named {
  readonly top: boolean;
  readonly logits: readonly number[];
}

export const probabilityOf = ({ scale, shift }: Calibration, logit: number): number =>
  1 / (1 + Math.exp(-(scale * logit + shift)));

const NEWTON_STEPS = 25;
/** Pulls towards no change, so that few curves change little. */
const RIDGE = 20;

/** Platt's scaling, by Newton's steps, held near scale 1 and shift 0. */
export const calibrationOf = (stated: readonly TreePoint[]): Calibration => {
  let scale = 1;
  let shift = 0;
  for (let step = 0; step < NEWTON_STEPS; step++) {
    let [gScale, gShift] = [RIDGE * (1 - scale), -RIDGE * shift];
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

/** What naming at each probability of 0.05 to 0.95 would have been worth on these curves. */
export const namingOf = (curves: readonly Named[], calibration: Calibration): NamingStep[] => {
  const most = curves.map(({ top, logits }) => ({
    top,
    most: probabilityOf(calibration, Math.max(...logits)),
  }));
  return Array.from({ length: 19 }, (_, i) => {
    const probability = (i + 1) / 20;
    const named = most.filter((its) => its.most >= probability);
    return { probability, named: named.length, right: named.filter(({ top }) => top).length };
  });
};
