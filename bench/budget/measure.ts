import { allSeeing } from './all-seeing.ts';
import { knownFuture, oracle } from './known-future.ts';
import {
  laddersOf,
  laddersOfTest,
  lastVelocity,
  newestFirst,
  ours,
  oursWithCreators,
  roundRobin,
} from './policies.ts';
import type { Replay } from './replay.ts';
import { type Outcome, simulate } from './simulate.ts';
import { spikesOf } from './spikes.ts';

/** One policy on one replay, and ours as a ratio to it. */
export interface Measured extends Outcome {
  readonly policy: string;
  /** Its error over that of ours, single calls; above 1 ours is better. */
  readonly overOurs: number;
  /** Round robin's error over its own. */
  readonly againstRoundRobin: number;
}

export interface Report {
  readonly source: string;
  readonly videos: number;
  readonly teachingCurves: number;
  readonly spikes: number;
  readonly callsPerDay: number;
  readonly lowerBound: number;
  readonly policies: readonly Measured[];
}

/** Runs every policy over one replay with the same number of calls. */
export const measure = (replay: Replay, boundRounds: number): Report => {
  const spikes = spikesOf(replay);
  const ladders = laddersOf(replay);
  const future = knownFuture(replay, boundRounds);
  const policies = [
    roundRobin(),
    newestFirst(),
    lastVelocity(),
    ours(replay, ladders),
    oursWithCreators(replay, ladders),
    ours(replay, laddersOfTest(replay), 'ours, taught by the test curves'),
    allSeeing(replay),
    oracle(replay, future),
  ];
  const outcomes = policies.map((policy) => simulate(replay, policy, spikes));
  const [roundRobinError, , , ownError] = outcomes.map(({ error }) => error);
  return {
    source: replay.name,
    videos: replay.videos.length,
    teachingCurves: replay.teach.length,
    spikes: spikes.length,
    callsPerDay: (replay.callsPerStep * 24) / replay.stepHours,
    lowerBound: future.bound,
    policies: outcomes.map((outcome, i) => ({
      policy: policies[i]?.name ?? '',
      ...outcome,
      overOurs: outcome.error / (ownError ?? 1),
      againstRoundRobin: (roundRobinError ?? 1) / outcome.error,
    })),
  };
};
