import { PLATFORMS } from '../../schema/vocabulary.ts';
import type { systemClock } from '../../src/base/clock.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { chooseCalls } from '../../src/learn/budget/choice.ts';
import { learnShowing } from '../../src/learn/budget/creator-pages.ts';
import { curveLibrary } from '../../src/learn/budget/curves.ts';
import { PlanLadder } from '../../src/learn/budget/price.ts';
import { trackedColumns, trackedOf } from './columns.ts';
import type { Replay } from './replay.ts';
import { shareOf } from './replay.ts';

export interface ChoosingSpeed {
  readonly videos: number;
  readonly calls: number;
  readonly modelMs: number;
  readonly chooseMs: number;
  /** Processor time of the same: what a machine with nothing else to do would take at most. */
  readonly chooseCpuMs: number;
  /** Resident memory that choosing added at its peak, MB; the input is not counted. */
  readonly addedMb: number;
}

const filled = (videos: number, now: number) => {
  const columns = trackedColumns(videos);
  for (let i = 0; i < videos; i++) {
    const [a, b, c] = [shareOf(`a${i}`), shareOf(`b${i}`), shareOf(`c${i}`)];
    const ageMs = HOUR_MS * 2000 ** a;
    columns.createdAt[i] = now - ageMs;
    columns.lastAt[i] = now - ageMs * b;
    columns.lastViews[i] = 10 ** (6 * c);
    if (c > 0.4) {
      columns.earlierAt[i] = now - ageMs * (0.1 * b + 0.9);
      columns.earlierViews[i] = 10 ** (6 * c) * b;
    }
    columns.platform[i] = i % 3;
    columns.creator[i] = 3 * Math.floor(a * b * 66_667) + (i % 3);
  }
  return columns;
};

/** Time to choose 1,600 calls among a million tracked videos, from cold plans. */
export const chooseMillion = (teach: Replay['teach'], clock: typeof systemClock): ChoosingSpeed => {
  const [videos, calls, now] = [1_000_000, 1600, 1_800_000_000_000];
  const tracked = trackedOf(filled(videos, now));
  const started = clock.monotonic();
  const models = PLATFORMS.map((platform) => new PlanLadder(curveLibrary(platform, teach)));
  const modelled = clock.monotonic();
  const before = process.memoryUsage();
  const cpu = process.cpuUsage();
  const showing = learnShowing([]);
  chooseCalls({ now, calls, callsPerDay: calls, tracked, ladders: models, showing });
  const { user, system } = process.cpuUsage(cpu);
  const chosen = clock.monotonic();
  const after = process.memoryUsage();
  const added = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return {
    videos,
    calls,
    modelMs: Math.round(modelled - started),
    chooseMs: Math.round(chosen - modelled),
    chooseCpuMs: Math.round((user + system) / 1000),
    addedMb: Math.round(added / 1e6),
  };
};
