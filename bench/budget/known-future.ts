import { type KnownPlan, planKnownCurve, refreshesAfter } from './known-curve-plan.ts';
import { errorBetween, type Replay } from './replay.ts';
import { callsAt, type Policy } from './simulate.ts';

export interface KnownFuture {
  /** No policy of single calls can have a smaller time-averaged error. */
  readonly bound: number;
  /** Price of a refresh on each day, in steps of full error. */
  readonly prices: Float64Array;
  readonly stepsPerDay: number;
}

const planAll = (replay: Replay, prices: Float64Array, stepsPerDay: number): KnownPlan[] =>
  replay.videos.map(({ from, views, inverse }) =>
    planKnownCurve(views, inverse, (step) => prices[Math.floor((from + step) / stepsPerDay)] ?? 0),
  );

/**
 * The exact lower bound by Lagrangian relaxation: each day's calls have a price, every video is
 * planned at its best for those prices with its whole future known, and for any prices
 *   sum of the plans' costs - sum of price x calls of that day
 * is a lower bound of the total error. Prices climb by subgradient steps; the best bound counts.
 */
export const knownFuture = (replay: Replay, rounds: number): KnownFuture => {
  const stepsPerDay = Math.max(1, Math.round(24 / replay.stepHours));
  const days = Math.ceil(replay.steps / stepsPerDay);
  const calls = new Float64Array(days);
  for (let step = 0; step < replay.steps; step++) {
    const day = Math.floor(step / stepsPerDay);
    calls[day] = (calls[day] ?? 0) + callsAt(replay, step);
  }
  const videoSteps = replay.videos.reduce((sum, { views }) => sum + views.length - 1, 0);
  const prices = new Float64Array(days).fill(8 / replay.stepHours);
  let best: KnownFuture = { bound: 0, prices, stepsPerDay };
  for (let round = 0; round < rounds; round++) {
    const wanted = new Float64Array(days);
    let total = -prices.reduce((sum, price, day) => sum + price * (calls[day] ?? 0), 0);
    planAll(replay, prices, stepsPerDay).forEach((plan, video) => {
      total += plan.cost[0] ?? 0;
      for (const step of refreshesAfter(plan, 0)) {
        const day = Math.floor(((replay.videos[video]?.from ?? 0) + step) / stepsPerDay);
        wanted[day] = (wanted[day] ?? 0) + 1;
      }
    });
    if (total / videoSteps > best.bound)
      best = { bound: total / videoSteps, prices: prices.slice(), stepsPerDay };
    const eagerness = 0.5 / (1 + round / 6);
    prices.forEach((price, day) => {
      const ratio = ((wanted[day] ?? 0) + 1) / ((calls[day] ?? 0) + 1);
      prices[day] = Math.max(1e-4, price * Math.min(3, Math.max(1 / 3, ratio)) ** eagerness);
    });
  }
  return best;
};

/**
 * Our planner with the true curves instead of predicted ones: refreshes when each video's plan
 * says; if more is due than can be paid, by what waiting would cost more than refreshing.
 */
export const oracle = (replay: Replay, { prices, stepsPerDay }: KnownFuture): Policy => {
  const plans = planAll(replay, prices, stepsPerDay);
  const last = new Int32Array(replay.videos.length);
  const advantage = (video: number, step: number): number => {
    const known = replay.videos[video];
    const plan = plans[video];
    if (known === undefined || plan === undefined) return 0;
    const end = known.views.length - 1;
    const seen = last[video] ?? 0;
    let later = errorBetween(known, seen, end);
    for (let at = step + 1; at < end; at++) {
      const price = prices[Math.floor((known.from + at) / stepsPerDay)] ?? 0;
      later = Math.min(later, errorBetween(known, seen, at) + price + (plan.cost[at] ?? 0));
    }
    return later - errorBetween(known, seen, step) - (plan.cost[step] ?? 0);
  };
  return {
    name: 'ours with true curves (oracle)',
    choose: ({ tracked, step }, calls) => {
      const wanted = [...tracked].flatMap((video, at) => {
        const from = replay.videos[video]?.from ?? 0;
        const seen = last[video] ?? 0;
        if (step - from <= seen) return []; // seen in this step: a call would show nothing
        const next = plans[video]?.next[seen] ?? 0;
        return [{ video, at, local: step - from, wait: next - (step - from), gain: 0 }];
      });
      const due = wanted.filter(({ wait }) => wait <= 0);
      for (const refresh of due) refresh.gain = advantage(refresh.video, refresh.local);
      due.sort((a, b) => b.gain - a.gain || a.at - b.at);
      const early = wanted.filter(({ wait }) => wait > 0).sort((a, b) => a.wait - b.wait);
      const chosen = [...due, ...early].slice(0, calls);
      for (const { video, local } of chosen) last[video] = local;
      return chosen.map(({ at }) => ({ video: at }));
    },
  };
};
