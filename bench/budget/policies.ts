import { PLATFORMS } from '../../schema/vocabulary.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { chooseCalls } from '../../src/learn/budget/choice.ts';
import { learnShowing, type PageSeen } from '../../src/learn/budget/creator-pages.ts';
import { curveLibrary } from '../../src/learn/budget/curves.ts';
import { largest } from '../../src/learn/budget/largest.ts';
import { PlanLadder } from '../../src/learn/budget/price.ts';
import { trackedOf } from './columns.ts';
import type { Replay } from './replay.ts';
import type { Policy, Seen } from './simulate.ts';

/** A policy that gives every video a number and refreshes of the highest. */
const ranking = (name: string, score: (seen: Seen, i: number) => number): Policy => ({
  name,
  choose: (seen, calls) =>
    largest(
      Float64Array.from(seen.tracked, (_, i) => score(seen, i)),
      calls,
    ).map((video) => ({ video })),
});

const sinceHours = ({ columns, now }: Seen, i: number): number =>
  (now - (columns.lastAt[i] ?? 0)) / HOUR_MS;
const ageHours = ({ columns, now }: Seen, i: number): number =>
  Math.max(0.1, (now - (columns.createdAt[i] ?? 0)) / HOUR_MS);

export const roundRobin = (): Policy => ranking('round robin', sinceHours);

/** The youngest first, each at most once a day; then whoever waited longest. */
export const newestFirst = (): Policy =>
  ranking('newest first', (seen, i) =>
    sinceHours(seen, i) >= 24 ? 1e6 / ageHours(seen, i) : sinceHours(seen, i) * 1e-6,
  );

/** Growth of log views per hour between the last two refreshes; 1/age where there was only one. */
const relativeVelocity = ({ columns }: Seen, i: number): number => {
  const last = columns.lastAt[i] ?? 0;
  const earlier = columns.earlierAt[i] ?? Number.NaN;
  if (Number.isNaN(earlier)) return HOUR_MS / (last - (columns.createdAt[i] ?? 0) + HOUR_MS);
  const grown = Math.log((columns.lastViews[i] ?? 1) / (columns.earlierViews[i] ?? 1));
  return (grown * HOUR_MS) / (last - earlier) + 1e-6;
};

export const lastVelocity = (): Policy =>
  ranking('relative velocity x time', (seen, i) => relativeVelocity(seen, i) * sinceHours(seen, i));

export const laddersOf = (replay: Replay): PlanLadder[] =>
  PLATFORMS.map((platform) => new PlanLadder(curveLibrary(platform, replay.teach)));

/** Ladders learnt from the very curves that test: nothing that a curve can teach is missing. */
export const laddersOfTest = (replay: Replay): PlanLadder[] =>
  laddersOf({
    ...replay,
    teach: replay.videos.map(({ platform, bornHours, from, views }) => ({
      platform,
      ageHours: Array.from(views, (_, step) => (from + step) * replay.stepHours - bornHours),
      views: [...views],
    })),
  });

/** Ours, growth calls only. */
export const ours = (
  replay: Replay,
  ladders: readonly PlanLadder[],
  name = 'ours, single calls',
): Policy => {
  const callsPerDay = (replay.callsPerStep * 24) / replay.stepHours;
  return {
    name,
    choose: ({ columns, now }, calls) =>
      chooseCalls({ now, calls, callsPerDay, tracked: trackedOf(columns), ladders }).map(
        (choice) =>
          choice.kind === 'growth' ? { video: choice.video } : { creator: choice.creator },
      ),
  };
};

/** Ours, growth and creator calls; what creator calls show is learnt on the way. */
export const oursWithCreators = (replay: Replay, ladders: readonly PlanLadder[]): Policy => {
  const callsPerDay = (replay.callsPerStep * 24) / replay.stepHours;
  const pages: PageSeen[] = [];
  return {
    name: 'ours, with creator calls',
    seenPage: (tracked, shown) => void pages.push({ tracked, shown }),
    choose: ({ columns, now }, calls) => {
      const showing = learnShowing(pages.slice(-300));
      const input = { now, calls, callsPerDay, tracked: trackedOf(columns), ladders, showing };
      return chooseCalls(input).map((choice) =>
        choice.kind === 'growth' ? { video: choice.video } : { creator: choice.creator },
      );
    },
  };
};
