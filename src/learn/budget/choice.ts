import { HOUR_MS } from '../../base/durations.ts';
import { type CreatorShowing, type PageOdds, pageOdds, SHOWN_RANKS } from './creator-pages.ts';
import { AHEAD } from './growth-model.ts';
import { largest } from './largest.ts';
import { worthOfRefresh } from './planner.ts';
import {
  crowdsOf,
  halvingsOf,
  LEVELS_PER_DOUBLING,
  type PlanLadder,
  priceAt,
  solvePrice,
} from './price.ts';
import { FIRST_CREATOR, groupOf, stepsSince, type TrackedVideos } from './tracked.ts';

export interface ChoiceInput {
  /** Unix milliseconds. */
  readonly now: number;
  /** Limit for this choice. */
  readonly calls: number;
  /** Sets the price. */
  readonly callsPerDay: number;
  readonly tracked: TrackedVideos;
  /** When a list will show a video anyway (Unix ms), by the video's key. */
  readonly listRefreshAt?: ReadonlyMap<number, number>;
  /** When a creator's page was requested last (Unix ms), by group, whatever it showed. */
  readonly pageAt?: ReadonlyMap<number, number>;
  /** One for each of PLATFORMS, in that order. */
  readonly ladders: readonly PlanLadder[];
  /** Leave out for growth calls only. */
  readonly showing?: CreatorShowing;
}

/** Reason for a call, stored as JSON in `run_items.reason`. Hours are hours of full error. */
export interface ChoiceReason {
  /** Expected saving over all videos the call shows. */
  readonly worthHours: number;
  /** Current price of a call. A call worth at least that is due. */
  readonly priceHours: number;
  readonly rule: 'due' | 'surplus';
  readonly ageHours?: number;
  readonly sinceRefreshHours?: number;
  /** Relative error that the lake's count is expected to have by now, 0..1. */
  readonly expectedError?: number;
  readonly nextListRefreshInHours?: number;
  /** Tracked videos that a creator call is expected to show, and all of them. */
  readonly expectedShown?: number;
  readonly trackedVideos?: number;
}

/** A video by its key, or a creator by its number: its group's, from the first creator's on. */
export type Choice =
  | { readonly kind: 'growth'; readonly video: number; readonly reason: ChoiceReason }
  | { readonly kind: 'creator'; readonly creator: number; readonly reason: ChoiceReason };

const DAY_HOURS = 24;
/**
 * Worth per squared day without a refresh: an hour after a month, 90 hours after 300 days. It grows
 * past every price, so a dormant video is refreshed rarely, but always eventually.
 */
const UNSEEN_HOURS = 0.001;

interface PricedInput {
  readonly input: ChoiceInput;
  readonly odds: PageOdds | undefined;
  /** Price of a call. */
  readonly level: number;
}

const expectedError = ({ model }: PlanLadder, state: number, since: number): number =>
  1 - (model.remains[state * (AHEAD + 1) + Math.min(AHEAD, Math.ceil(since))] ?? 1);

/** Hours until a list will show a video anyway, NaN where none is expected to. */
const hoursUntilList = ({ tracked, listRefreshAt, now }: ChoiceInput, slot: number): number =>
  ((listRefreshAt?.get(tracked.key[slot] ?? 0) ?? Number.NaN) - now) / HOUR_MS;

/**
 * Expected saving of a refresh, at most the loss until a list shows the video anyway.
 * @param notBefore an earlier refresh counts as one at this instant
 */
const worthOf = (
  { input, odds, level }: PricedInput,
  group: number,
  slot: number,
  notBefore = 0,
): number => {
  const { tracked, ladders, now } = input;
  const { groups } = tracked;
  const ladder = ladders[groups.platform[group] ?? 0];
  if (ladder === undefined) return 0;
  const plan = ladder.at(level - halvingsOf(groups, odds, group, slot) * LEVELS_PER_DOUBLING);
  const state = tracked.state[slot] ?? 0;
  const since = stepsSince(tracked, slot, now, notBefore);
  const lastAt = Math.max(tracked.lastAt[slot] ?? now, notBefore);
  const unseenDays = Math.max(0, now - lastAt) / HOUR_MS / DAY_HOURS;
  const worth = worthOfRefresh(plan, state, since) + UNSEEN_HOURS * unseenDays ** 2;
  const untilList = hoursUntilList(input, slot);
  return untilList >= 0 ? Math.min(worth, expectedError(ladder, state, since) * untilList) : worth;
};

const pricedInput = (input: ChoiceInput): PricedInput => {
  const odds = input.showing === undefined ? undefined : pageOdds(input.showing);
  const level = solvePrice(crowdsOf(input, odds), input.callsPerDay, DAY_HOURS);
  return { input, odds, level };
};

/** A call that may be chosen. Its worth only shrinks while others are. */
interface Candidate {
  readonly kind: 'growth' | 'creator';
  /** The creator of the video, or the one that is asked for. */
  readonly group: number;
  /** The video's; -1 for a creator. */
  readonly slot: number;
  /** Savings while nothing else is chosen. */
  readonly alone: number;
  readonly worth: number;
}

/** Saving of a creator call beyond the refreshed videos. A video missing on the last page counts as just requested. */
const pageWorth = (priced: PricedInput, group: number, refreshed: ReadonlySet<number>): number => {
  const { from, to } = priced.input.tracked.groups;
  const pageAt = priced.input.pageAt?.get(group);
  const start = from[group] ?? 0;
  const end = Math.min(to[group] ?? 0, start + SHOWN_RANKS);
  let sum = 0;
  for (let slot = start; slot < end; slot++)
    if (!refreshed.has(slot))
      sum += (priced.odds?.chance[slot - start] ?? 0) * worthOf(priced, group, slot, pageAt);
  return sum;
};

/** Best calls by their worth alone, best first: twice the limit for each kind. */
const candidatesOf = (priced: PricedInput): Candidate[] => {
  const { pageAt, tracked, calls } = priced.input;
  const { groups, key } = tracked;
  const videos = new Float64Array(key.length);
  const pages = new Float64Array(groups.to.length);
  const firstKeys = new Float64Array(groups.to.length).fill(Number.POSITIVE_INFINITY);
  for (let group = 0; group < groups.to.length; group++) {
    const start = groups.from[group] ?? 0;
    const shownAt = pageAt?.get(group);
    for (let slot = start; slot < (groups.to[group] ?? 0); slot++) {
      const worth = worthOf(priced, group, slot);
      videos[slot] = worth;
      firstKeys[group] = Math.min(firstKeys[group] ?? 0, key[slot] ?? 0);
      if (group < FIRST_CREATOR) continue;
      const onPage = shownAt === undefined ? worth : worthOf(priced, group, slot, shownAt);
      pages[group] = (pages[group] ?? 0) + (priced.odds?.chance[slot - start] ?? 0) * onPage;
    }
  }
  const candidate = (kind: Candidate['kind'], worth = 0, group = 0, slot = -1): Candidate => ({
    kind,
    group,
    slot,
    alone: worth,
    worth,
  });
  const creators = largest(pages, 2 * calls, (group) => firstKeys[group] ?? 0).map((group) =>
    candidate('creator', pages[group], group),
  );
  const growth = largest(videos, 2 * calls, (slot) => key[slot] ?? 0).map((slot) =>
    candidate('growth', videos[slot], groupOf(groups, slot), slot),
  );
  return [...creators, ...growth].sort((a, b) => b.worth - a.worth);
};

const currentWorth = (
  priced: PricedInput,
  { kind, group, slot, alone }: Candidate,
  refreshed: ReadonlySet<number>,
  fetched: ReadonlySet<number>,
): number => {
  if (kind === 'creator') return pageWorth(priced, group, refreshed);
  if (!fetched.has(group)) return alone;
  const rank = slot - (priced.input.tracked.groups.from[group] ?? 0);
  return alone * (1 - (priced.odds?.chance[rank] ?? 0));
};

/** Puts a candidate back where its smaller worth belongs; the list is best first from `from` on. */
const reinsert = (candidates: Candidate[], candidate: Candidate, from: number): void => {
  let low = from;
  let high = candidates.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((candidates[middle]?.worth ?? 0) >= candidate.worth) low = middle + 1;
    else high = middle;
  }
  candidates.splice(low, 0, candidate);
};

const rounded = (value: number): number => Number(value.toPrecision(4));

const reasonOf = (priced: PricedInput, { kind, group, slot, worth }: Candidate): ChoiceReason => {
  const { input, odds, level } = priced;
  const { tracked, ladders, now } = input;
  const { from, to, platform } = tracked.groups;
  const common = {
    worthHours: rounded(worth),
    priceHours: rounded(priceAt(level)),
    rule: worth >= priceAt(level) ? ('due' as const) : ('surplus' as const),
  };
  if (kind === 'creator') {
    const trackedVideos = (to[group] ?? 0) - (from[group] ?? 0);
    const shown = odds?.chance.subarray(0, trackedVideos).reduce((sum, chance) => sum + chance, 0);
    return { ...common, expectedShown: rounded(shown ?? 0), trackedVideos };
  }
  const untilList = hoursUntilList(input, slot);
  const ladder = ladders[platform[group] ?? 0] as PlanLadder;
  const error = expectedError(ladder, tracked.state[slot] ?? 0, stepsSince(tracked, slot, now));
  return {
    ...common,
    ageHours: rounded((now - (tracked.createdAt[slot] ?? now)) / HOUR_MS),
    sinceRefreshHours: rounded((now - (tracked.lastAt[slot] ?? now)) / HOUR_MS),
    expectedError: rounded(error),
    ...(untilList >= 0 ? { nextListRefreshInHours: rounded(untilList) } : {}),
  };
};

const choiceOf = (priced: PricedInput, candidate: Candidate): Choice => {
  const { kind, group, slot } = candidate;
  const reason = reasonOf(priced, candidate);
  return kind === 'growth'
    ? { kind, video: priced.input.tracked.key[slot] ?? 0, reason }
    : { kind, creator: group - FIRST_CREATOR, reason };
};

/**
 * Chooses at most `calls` calls, best first: the greedy choice by what each is expected to save per
 * call, growth calls (one video) and creator calls (those of its videos a page is expected to show)
 * on one scale. What a chosen call shows no longer counts for the next. Same input, same choice.
 * Fewer come back only when nothing else would save anything.
 */
export const chooseCalls = (input: ChoiceInput): Choice[] => {
  if (input.calls <= 0 || input.tracked.count === 0) return [];
  const priced = pricedInput(input);
  const candidates = candidatesOf(priced);
  const refreshed = new Set<number>();
  const fetched = new Set<number>();
  const choices: Choice[] = [];
  for (let at = 0; at < candidates.length && choices.length < input.calls; at++) {
    const candidate = candidates[at] as Candidate;
    const worth = currentWorth(priced, candidate, refreshed, fetched);
    if (worth <= 0) continue;
    if (worth < candidate.worth && worth < (candidates[at + 1]?.worth ?? 0)) {
      reinsert(candidates, { ...candidate, worth }, at + 1);
      continue;
    }
    choices.push(choiceOf(priced, { ...candidate, worth }));
    if (candidate.kind === 'growth') refreshed.add(candidate.slot);
    else fetched.add(candidate.group);
  }
  return choices;
};
