import { AGE_STEPS, hoursAt } from './age-grid.ts';
import { MOST_HALVINGS, type PageOdds } from './creator-pages.ts';
import type { CurveLibrary } from './curves.ts';
import { AHEAD, type GrowthModel, growthModel } from './growth-model.ts';
import { LONGEST_WAIT, type PlanTable, planTable, WAITS } from './planner.ts';
import { CLASSES, gapKind, KINDS, STATES, stateOf } from './refresh-states.ts';
import { FIRST_CREATOR, stepsSince, type TrackedVideos, type VideoGroups } from './tracked.ts';

/** Price levels in steps of half a doubling, from 0.001 to 1,000 hours of error. */
const PRICE_LEVELS = 41;
export const LEVELS_PER_DOUBLING = 2;
const CHEAPEST = 0.001;
export const priceAt = (level: number): number => CHEAPEST * 2 ** (level / LEVELS_PER_DOUBLING);

/** A plan at one price, with how soon it wants the next refresh. */
export interface PricedPlan extends PlanTable {
  /** [state]: grid steps after a refresh at which the next is due; Infinity: not at this price. */
  readonly dueAfter: Float32Array;
}

const dueAfterOf = ({ worth, price }: PlanTable): Float32Array => {
  const due = new Float32Array(STATES);
  for (let state = 0; state < STATES; state++) {
    const rows = state * WAITS;
    let ahead = 1;
    while (ahead < LONGEST_WAIT && (worth[rows + ahead] ?? 0) < price) ahead++;
    const [before, after] = [worth[rows + ahead - 1] ?? 0, worth[rows + ahead] ?? 0];
    const part = after > before ? Math.max(0, (price - before) / (after - before)) : 1;
    due[state] = after < price ? Number.POSITIVE_INFINITY : ahead - 1 + part;
  }
  return due;
};

/**
 * Expectations of one platform's curves and the plans from them, computed on first use and kept.
 */
export class PlanLadder {
  readonly #library: CurveLibrary;
  readonly #plans: (PricedPlan | undefined)[] = [];
  #model: GrowthModel | undefined;

  constructor(library: CurveLibrary) {
    this.#library = library;
  }

  get model(): GrowthModel {
    this.#model ??= growthModel(this.#library);
    return this.#model;
  }

  /** The plan at a price level, the nearest there is. */
  at(level: number): PricedPlan {
    const held = Math.max(0, Math.min(PRICE_LEVELS - 1, level));
    const known = this.#plans[held];
    if (known !== undefined) return known;
    const table = planTable(this.model, priceAt(held));
    const plan = { ...table, dueAfter: dueAfterOf(table) };
    this.#plans[held] = plan;
    return plan;
  }
}

/** Refreshes per hour that a video wants once it had one, over what that refresh may find. */
const rateAfter = (ladder: PlanLadder, plan: PricedPlan, state: number, ahead: number): number => {
  const age = Math.floor(state / (KINDS * CLASSES));
  const at = Math.min(Math.max(1, Math.round(ahead)), AHEAD);
  const later = Math.min(age + at, AGE_STEPS - 1);
  const next = stateOf(later, gapKind(at), 0);
  const cell = (state * (AHEAD + 1) + at) * CLASSES;
  let rate = 0;
  for (let slope = 0; slope < CLASSES; slope++) {
    const share = ladder.model.found[cell + slope] ?? 0;
    if (share === 0) continue;
    rate += share / (hoursAt(later + (plan.dueAfter[next + slope] ?? 0)) - hoursAt(later));
  }
  return rate;
};

/** Since is counted in halves of a grid step. */
const SINCE_PARTS = 2;
const SINCE_CELLS = LONGEST_WAIT * SINCE_PARTS + 1;

/** Coarse place of a video: videos of one cell want their next refresh at the same time. */
const cellOf = (state: number, since: number): number =>
  state * SINCE_CELLS + Math.min(SINCE_CELLS - 1, Math.round(since * SINCE_PARTS));

/** Refreshes that one video of a cell wants within the next hours at a plan's price. */
const refreshesWanted = (
  ladder: PlanLadder,
  plan: PricedPlan,
  cell: number,
  withinHours: number,
): number => {
  const state = Math.floor(cell / SINCE_CELLS);
  const since = (cell % SINCE_CELLS) / SINCE_PARTS;
  const age = Math.floor(state / (KINDS * CLASSES));
  const due = Math.max(plan.dueAfter[state] ?? 0, since);
  const waitHours = hoursAt(age + due) - hoursAt(age + since);
  if (waitHours >= withinHours) return 0;
  return 1 + (withinHours - waitHours) * rateAfter(ladder, plan, state, due);
};

/** Videos that want their next refresh at the same time. */
interface Crowd {
  readonly ladder: PlanLadder;
  /** A refresh costs price / 2^halvings: a creator call shows so many videos at once. */
  readonly halvings: number;
  /** Number of videos by cell. */
  readonly cells: Map<number, number>;
}

/** Number of times the price of a video's refresh is halved. */
export const halvingsOf = (
  groups: VideoGroups,
  odds: PageOdds | undefined,
  group: number,
  slot: number,
): number => {
  if (odds === undefined || group < FIRST_CREATOR) return 0;
  const from = groups.from[group] ?? 0;
  return odds.halvings(slot - from, (groups.to[group] ?? 0) - from);
};

/** Counts videos that want their next refresh at the same time, by platform and halvings. */
export const crowdsOf = (
  {
    now,
    tracked,
    ladders,
  }: { now: number; tracked: TrackedVideos; ladders: readonly PlanLadder[] },
  odds: PageOdds | undefined,
): Crowd[] => {
  const { groups, state } = tracked;
  const crowds = new Map<number, Crowd>();
  for (let group = 0; group < groups.to.length; group++)
    for (let slot = groups.from[group] ?? 0; slot < (groups.to[group] ?? 0); slot++) {
      const halvings = halvingsOf(groups, odds, group, slot);
      const platform = groups.platform[group] ?? 0;
      const kind = platform * (MOST_HALVINGS + 1) + halvings;
      const ladder = ladders[platform];
      if (ladder === undefined) continue;
      const crowd = crowds.get(kind) ?? { ladder, halvings, cells: new Map<number, number>() };
      crowds.set(kind, crowd);
      const cell = cellOf(state[slot] ?? 0, stepsSince(tracked, slot, now));
      crowd.cells.set(cell, (crowd.cells.get(cell) ?? 0) + 1);
    }
  return [...crowds.values()];
};

const callsWanted = (crowds: readonly Crowd[], level: number, withinHours: number): number => {
  let calls = 0;
  for (const { ladder, halvings, cells } of crowds) {
    const plan = ladder.at(level - halvings * LEVELS_PER_DOUBLING);
    for (const [cell, videos] of cells)
      calls += (videos * refreshesWanted(ladder, plan, cell, withinHours)) / 2 ** halvings;
  }
  return calls;
};

/**
 * The one price for all: the lowest level at which the plans of all videos want no more than
 * `calls` within the next hours. A Lagrange multiplier of the budget, found by halving.
 */
export const solvePrice = (
  crowds: readonly Crowd[],
  calls: number,
  withinHours: number,
): number => {
  let low = 0;
  let high = PRICE_LEVELS - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (callsWanted(crowds, middle, withinHours) > calls) low = middle + 1;
    else high = middle;
  }
  return low;
};
