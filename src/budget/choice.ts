import { PLATFORMS } from '../../schema/vocabulary.ts';
import {
  type CreatorPages,
  type CreatorShowing,
  creatorPages,
  MOST_HALVINGS,
  type PageChances,
  pageChances,
} from './creator-pages.ts';
import { AHEAD } from './moments.ts';
import { worthOfRefresh } from './planner.ts';
import {
  type Crowd,
  cellOf,
  LEVELS_PER_DOUBLING,
  type PlanLadder,
  priceAt,
  SINCE_CELLS,
  solvePrice,
} from './price.ts';
import { STATES } from './refresh-states.ts';
import { standingOf, type TrackedColumns, type TrackedStates } from './tracked.ts';

export interface ChoiceInput {
  /** Unix milliseconds. */
  readonly now: number;
  /** How many calls may be spent now. */
  readonly calls: number;
  /** How many calls a day has, for the price. */
  readonly callsPerDay: number;
  readonly tracked: TrackedColumns;
  /** One for each of PLATFORMS, in that order. */
  readonly ladders: readonly PlanLadder[];
  /** What creator calls show; left out: growth calls only. */
  readonly showing?: CreatorShowing;
}

/** Why a call was chosen; kept as JSON in `run_items.reason`. Hours are hours of full error. */
export interface ChoiceReason {
  /** What the call is expected to save over all videos it shows. */
  readonly worthHours: number;
  /** What a call costs at this moment's price; a call worth at least that is due. */
  readonly priceHours: number;
  readonly rule: 'due' | 'surplus';
  readonly ageHours?: number;
  readonly sinceRefreshHours?: number;
  /** Relative error that the lake's count is expected to have by now, 0..1. */
  readonly expectedError?: number;
  readonly nextListRefreshInHours?: number;
  /** How many tracked videos a creator call is expected to show, and how many there are. */
  readonly expectedShown?: number;
  readonly trackedVideos?: number;
}

export type Choice =
  | { readonly kind: 'growth'; readonly video: number; readonly reason: ChoiceReason }
  | { readonly kind: 'creator'; readonly creator: number; readonly reason: ChoiceReason };

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/**
 * Whatever is predicted, days without a refresh add to the worth of one: their square times this, an
 * hour after a month, 90 after 300 days. It grows without end and prices do not: a dormant video is
 * refreshed rarely, but never never.
 */
const UNSEEN_HOURS = 0.001;

/** Everything worked out once for a choice. */
interface Desk {
  readonly input: ChoiceInput;
  readonly standing: TrackedStates;
  readonly pages: CreatorPages | undefined;
  readonly chances: PageChances | undefined;
  readonly priceHours: number;
  /** [video]: what one refresh of it saves. */
  readonly worth: Float64Array;
}

/** Counts videos that stand alike, by platform and by how cheap their refresh is. */
const crowdsOf = (input: ChoiceInput, standing: TrackedStates, chances?: PageChances): Crowd[] => {
  const kinds = MOST_HALVINGS + 1;
  const counts: (Uint32Array | undefined)[] = [];
  const occupied: number[][] = []; // most cells stay empty
  for (let i = 0; i < input.tracked.length; i++) {
    const kind = (input.tracked.platform[i] ?? 0) * kinds + (chances?.halvings[i] ?? 0);
    counts[kind] ??= new Uint32Array(STATES * SINCE_CELLS);
    occupied[kind] ??= [];
    const cell = cellOf(standing.state[i] ?? 0, standing.since[i] ?? 0);
    const count = counts[kind];
    if (count[cell] === 0) occupied[kind].push(cell);
    count[cell] = (count[cell] ?? 0) + 1;
  }
  return counts.flatMap((count, kind) => {
    const ladder = input.ladders[Math.floor(kind / kinds)];
    if (count === undefined || ladder === undefined) return [];
    const cells = Int32Array.from(occupied[kind] ?? []).sort();
    const videos = cells.map((cell) => count[cell] ?? 0);
    return [{ ladder, halvings: kind % kinds, cells, videos }];
  });
};

const expectedError = ({ model }: PlanLadder, state: number, since: number): number =>
  1 - (model.remains[state * (AHEAD + 1) + Math.min(AHEAD, Math.ceil(since))] ?? 1);

/** What each video's refresh saves, at most what is lost until a list shows the video anyway. */
const worthOfAll = (
  input: ChoiceInput,
  standing: TrackedStates,
  level: number,
  chances?: PageChances,
) => {
  const { tracked, ladders, now } = input;
  const worth = new Float64Array(tracked.length);
  for (let i = 0; i < tracked.length; i++) {
    const ladder = ladders[tracked.platform[i] ?? 0];
    if (ladder === undefined) continue;
    const plan = ladder.at(level - (chances?.halvings[i] ?? 0) * LEVELS_PER_DOUBLING);
    const state = standing.state[i] ?? 0;
    const since = standing.since[i] ?? 0;
    const unseenDays = Math.max(0, now - (tracked.lastAt[i] ?? now)) / HOUR_MS / DAY_HOURS;
    worth[i] = worthOfRefresh(plan, state, since) + UNSEEN_HOURS * unseenDays ** 2;
    const untilList = ((tracked.nextListRefreshAt[i] ?? Number.NaN) - now) / HOUR_MS;
    if (untilList >= 0)
      worth[i] = Math.min(worth[i] ?? 0, expectedError(ladder, state, since) * untilList);
  }
  return worth;
};

const deskOf = (input: ChoiceInput): Desk => {
  const { tracked, showing, now, callsPerDay } = input;
  const standing = standingOf(tracked, now);
  const pages = showing === undefined ? undefined : creatorPages(tracked);
  const chances =
    pages === undefined || showing === undefined
      ? undefined
      : pageChances(tracked.length, pages, showing);
  const level = solvePrice(crowdsOf(input, standing, chances), callsPerDay, DAY_HOURS);
  const worth = worthOfAll(input, standing, level, chances);
  return { input, standing, pages, chances, priceHours: priceAt(level), worth };
};

/** Numbers of the `count` largest positive values, ties by number. */
export const largest = (values: Float64Array, count: number): number[] => {
  if (count <= 0) return [];
  const threshold = values.slice().sort()[values.length - count] ?? Number.NEGATIVE_INFINITY;
  const above: number[] = [];
  const equal: number[] = [];
  values.forEach((value, i) => {
    if (value > threshold && value > 0) above.push(i);
    else if (value === threshold && value > 0 && equal.length < count) equal.push(i);
  });
  return above
    .concat(equal.slice(0, count - above.length))
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
};

/** A call that may be chosen. Its worth only shrinks while others are. */
interface Candidate {
  readonly kind: 'growth' | 'creator';
  readonly index: number;
  worth: number;
}

const pageWorth = (desk: Desk, creator: number, refreshed: ReadonlySet<number>): number => {
  const { pages, chances } = desk;
  if (pages === undefined || chances === undefined) return 0;
  let sum = 0;
  for (let at = pages.start[creator] ?? 0; at < (pages.start[creator + 1] ?? 0); at++) {
    const video = pages.videos[at] ?? 0;
    if (!refreshed.has(video)) sum += (chances.chance[video] ?? 0) * (desk.worth[video] ?? 0);
  }
  return sum;
};

const candidatesOf = (desk: Desk): Candidate[] => {
  const most = desk.input.calls * 2;
  const growth = largest(desk.worth, most).map(
    (index): Candidate => ({ kind: 'growth', index, worth: desk.worth[index] ?? 0 }),
  );
  if (desk.pages === undefined) return growth;
  const nobody = new Set<number>();
  const worths = Float64Array.from({ length: desk.pages.start.length - 1 }, (_, creator) =>
    pageWorth(desk, creator, nobody),
  );
  const creators = largest(worths, most).map(
    (index): Candidate => ({ kind: 'creator', index, worth: worths[index] ?? 0 }),
  );
  return [...creators, ...growth].sort((a, b) => b.worth - a.worth);
};

const currentWorth = (
  desk: Desk,
  { kind, index }: Candidate,
  refreshed: ReadonlySet<number>,
  fetched: ReadonlySet<number>,
): number => {
  if (kind === 'creator') return pageWorth(desk, index, refreshed);
  const worth = desk.worth[index] ?? 0;
  if (!fetched.has(desk.input.tracked.creator[index] ?? -1)) return worth;
  return worth * (1 - (desk.chances?.chance[index] ?? 0));
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

const reasonOf = (desk: Desk, { kind, index, worth }: Candidate): ChoiceReason => {
  const { tracked, ladders, now } = desk.input;
  const common = {
    worthHours: rounded(worth),
    priceHours: rounded(desk.priceHours),
    rule: worth >= desk.priceHours ? ('due' as const) : ('surplus' as const),
  };
  if (kind === 'creator') {
    const { pages, chances } = desk;
    const own = pages?.videos.subarray(pages.start[index], pages.start[index + 1]);
    const shown = own?.reduce((sum, video) => sum + (chances?.chance[video] ?? 0), 0) ?? 0;
    return { ...common, expectedShown: rounded(shown), trackedVideos: own?.length ?? 0 };
  }
  const untilList = ((tracked.nextListRefreshAt[index] ?? Number.NaN) - now) / HOUR_MS;
  const ladder = ladders[tracked.platform[index] ?? 0] as PlanLadder;
  const { state, since } = desk.standing;
  return {
    ...common,
    ageHours: rounded((now - (tracked.createdAt[index] ?? now)) / HOUR_MS),
    sinceRefreshHours: rounded((now - (tracked.lastAt[index] ?? now)) / HOUR_MS),
    expectedError: rounded(expectedError(ladder, state[index] ?? 0, since[index] ?? 0)),
    ...(untilList >= 0 ? { nextListRefreshInHours: rounded(untilList) } : {}),
  };
};

const choiceOf = (desk: Desk, candidate: Candidate): Choice => {
  const reason = reasonOf(desk, candidate);
  return candidate.kind === 'growth'
    ? { kind: 'growth', video: candidate.index, reason }
    : { kind: 'creator', creator: candidate.index, reason };
};

/**
 * Chooses at most `calls` calls, best first: the greedy choice by what each is expected to save per
 * call, growth calls (one video) and creator calls (those of its videos a page is expected to show)
 * on one scale. What a chosen call shows no longer counts for the next. Same input, same choice.
 * Fewer come back only when nothing else would save anything.
 */
export const chooseCalls = (input: ChoiceInput): Choice[] => {
  if (input.calls <= 0 || input.tracked.length === 0) return [];
  const desk = deskOf(input);
  const candidates = candidatesOf(desk);
  const refreshed = new Set<number>();
  const fetched = new Set<number>();
  const choices: Choice[] = [];
  for (let at = 0; at < candidates.length && choices.length < input.calls; at++) {
    const candidate = candidates[at] as Candidate;
    const worth = currentWorth(desk, candidate, refreshed, fetched);
    if (worth <= 0) continue;
    if (worth < candidate.worth && worth < (candidates[at + 1]?.worth ?? 0)) {
      reinsert(candidates, { ...candidate, worth }, at + 1);
      continue;
    }
    choices.push(choiceOf(desk, { ...candidate, worth }));
    (candidate.kind === 'growth' ? refreshed : fetched).add(candidate.index);
  }
  return choices;
};

/** Ladders for all platforms, from one for each that is known; the order is that of PLATFORMS. */
export const laddersByPlatform = (
  make: (platform: (typeof PLATFORMS)[number]) => PlanLadder,
): PlanLadder[] => PLATFORMS.map(make);
