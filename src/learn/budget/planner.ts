import { AGE_HOURS, AGE_RATIO, AGE_STEPS } from './age-grid.ts';
import { AHEAD, type GrowthModel } from './growth-model.ts';
import { STATES } from './refresh-states.ts';

/** Worth of a refresh at one price per call, by state and time since the last one. */
export interface PlanTable {
  /** Price of one refresh, in hours of full error (a count that is wholly wrong for an hour costs 1). */
  readonly price: number;
  /**
   * [state][steps since the refresh]: what a refresh would save if it cost nothing, in hours of error,
   * against waiting for the best later moment. A refresh is due when this reaches the price.
   */
  readonly worth: Float32Array;
}

/**
 * Horizon of savings: they weigh 1/e this many hours from now. Predictions of the far future are
 * poor; 4 and 60 days were measurably worse than ten on one source or another.
 */
const FORESIGHT_HOURS = 240;
const ROW = AHEAD + 1;
/** Longest wait that is distinguished; the rest of the horizon only weighs. */
export const LONGEST_WAIT = 30;
/** Length of a state's row of worths. */
export const WAITS = LONGEST_WAIT + 1;

/** Weight of an hour of error this many steps after an age, and hours of the step. */
const weightsAt = (age: number): { kept: Float64Array; hours: Float64Array } => {
  const from = AGE_HOURS[age] ?? 0;
  const kept = Float64Array.from({ length: ROW }, (_, ahead) =>
    Math.exp((-from * (AGE_RATIO ** ahead - 1)) / FORESIGHT_HOURS),
  );
  const hours = Float64Array.from({ length: ROW }, (_, ahead) =>
    ahead === 0 ? 0 : from * (AGE_RATIO ** ahead - AGE_RATIO ** (ahead - 1)) * (kept[ahead] ?? 0),
  );
  return { kept, hours };
};
const STATES_PER_AGE = STATES / AGE_STEPS;
const WEIGHTS = Array.from({ length: AGE_STEPS }, (_, age) => weightsAt(age));

/** The refresh times of one state's predicted curve, worked out from the last step back. */
class StatePlan {
  /** Hours counted until each step. */
  readonly time = new Float64Array(ROW);
  /** Integral of V(0)/V until each step. */
  readonly inverse = new Float64Array(ROW);
  /** Least cost after a refresh of each step. */
  readonly cost = new Float64Array(ROW);
}

/** Least cost of refreshing next after `since` when the last refresh was at `last`. */
const leastCost = (
  { time, inverse, cost }: StatePlan,
  views: number,
  { kept, price }: { kept: Float64Array; price: number },
  since: number,
): number => {
  const [t, i] = [time[since] ?? 0, inverse[since] ?? 0];
  let least = (time[AHEAD] ?? 0) - t - views * ((inverse[AHEAD] ?? 0) - i);
  for (let at = since + 1; at < ROW; at++) {
    const error = (time[at] ?? 0) - t - views * ((inverse[at] ?? 0) - i);
    if (error >= least) break; // waiting only adds to it
    least = Math.min(least, error + (kept[at] ?? 0) * price + (cost[at] ?? 0));
  }
  return least;
};

/**
 * Plans every state at one price per refresh, over the curve the model predicts for it.
 *
 * Between refreshes a < b of a video the error adds up to (b - a) - V(a) * integral from a to b of 1/V.
 * The least cost after a refresh of a is
 *   G(a) = min over b > a of  (b - a) - V(a) * integral of 1/V + price + G(b)
 * and a refresh now, after waiting, is worth what the best later refresh would cost more than one
 * now, its own price left out. (A renewal policy that treats refreshes as alike is wrong here:
 * growth decays, so refreshes do not renew; compare Cho and Garcia-Molina 2003, Olston and Pandey
 * 2008, section 2.2.)
 */
export const planTable = ({ remains }: GrowthModel, price: number): PlanTable => {
  const worth = new Float32Array(STATES * WAITS);
  const plan = new StatePlan();
  for (let state = 0; state < STATES; state++) {
    const weights = WEIGHTS[Math.floor(state / STATES_PER_AGE)] ?? weightsAt(0);
    const paid = { kept: weights.kept, price };
    planState(plan, remains.subarray(state * ROW, (state + 1) * ROW), weights, price);
    for (let since = 1; since < WAITS; since++) {
      const saved = leastCost(plan, 1, paid, since) - (plan.cost[since] ?? 0);
      worth[state * WAITS + since] = saved / (paid.kept[since] ?? 1);
    }
  }
  return { price, worth };
};

/** Works out the cost after a refresh of each step of one state's predicted curve. */
const planState = (
  plan: StatePlan,
  remains: Float32Array,
  { kept, hours }: ReturnType<typeof weightsAt>,
  price: number,
): void => {
  for (let at = 1; at < ROW; at++) {
    const mean = ((remains[at - 1] ?? 1) + (remains[at] ?? 1)) / 2;
    plan.time[at] = (plan.time[at - 1] ?? 0) + (hours[at] ?? 0);
    plan.inverse[at] = (plan.inverse[at - 1] ?? 0) + (hours[at] ?? 0) * mean;
  }
  const paid = { kept, price };
  plan.cost[AHEAD] = 0;
  for (let at = AHEAD - 1; at > 0; at--)
    plan.cost[at] = leastCost(plan, 1 / (remains[at] ?? 1), paid, at);
};

/** Saving in hours of a refresh `since` grid steps after the last one. */
export const worthOfRefresh = ({ worth }: PlanTable, state: number, since: number): number => {
  const rows = state * WAITS;
  if (since >= LONGEST_WAIT)
    return (worth[rows + LONGEST_WAIT] ?? 0) * AGE_RATIO ** (since - LONGEST_WAIT);
  const whole = Math.floor(since);
  const share = since - whole;
  return (worth[rows + whole] ?? 0) * (1 - share) + (worth[rows + whole + 1] ?? 0) * share;
};
