import { PLATFORMS } from '../../schema/vocabulary.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { type TrackedColumns, trackedColumns } from './columns.ts';
import { errorBetween, type Replay } from './replay.ts';
import type { Spike } from './spikes.ts';

/** Everything a policy may know: what was seen so far, nothing of the future. */
export interface Seen {
  readonly step: number;
  /** Videos tracked now, by number in the replay; the columns are in this order. */
  readonly tracked: Int32Array;
  readonly columns: TrackedColumns;
  readonly now: number;
}

export type Asked =
  | { readonly video: number } // position in `tracked`
  | { readonly creator: number };

/** Chooses at most `calls` calls; `seenPage` gives it the result of a creator call. */
export interface Policy {
  readonly name: string;
  choose(seen: Seen, calls: number): Asked[];
  seenPage?(tracked: number, shown: number[]): void;
}

export interface Outcome {
  readonly error: number;
  readonly calls: number;
  readonly refreshes: number;
  /** Share of spikes noticed within 1, 6, 24 hours; undefined where a step is longer. */
  readonly spikes: (number | undefined)[];
}

const EPOCH = 1_800_000_000_000;

/** The lake's knowledge of all videos, by number in the replay. */
interface Lake {
  readonly lastStep: Int32Array;
  readonly earlierStep: Int32Array;
}

const columnsAt = (replay: Replay, lake: Lake, tracked: Int32Array): TrackedColumns => {
  const columns = trackedColumns(tracked.length);
  const at = (step: number) => EPOCH + step * replay.stepHours * HOUR_MS;
  tracked.forEach((video, i) => {
    const known = replay.videos[video];
    if (known === undefined) return;
    const last = lake.lastStep[video] ?? 0;
    const earlier = lake.earlierStep[video] ?? -1;
    columns.createdAt[i] = EPOCH + known.bornHours * HOUR_MS;
    columns.lastAt[i] = at(last);
    columns.lastViews[i] = known.views[last - known.from] ?? 0;
    if (earlier >= 0) {
      columns.earlierAt[i] = at(earlier);
      columns.earlierViews[i] = known.views[earlier - known.from] ?? 0;
    }
    columns.platform[i] = PLATFORMS.indexOf(known.platform);
    columns.creator[i] = known.creator;
  });
  return columns;
};

/** Number of a creator's newest videos in a creator call. */
const PAGE_VIDEOS = 20;

const pageOf = (seen: Seen, creator: number): number[] => {
  const own: number[] = [];
  seen.columns.creator.forEach((owner, i) => {
    if (owner === creator) own.push(i);
  });
  const born = seen.columns.createdAt;
  return own.sort((a, b) => (born[b] ?? 0) - (born[a] ?? 0) || a - b);
};

/** Calls of one step: whole calls, the fractions carried over. */
export const callsAt = ({ callsPerStep }: Replay, step: number): number =>
  Math.floor((step + 1) * callsPerStep) - Math.floor(step * callsPerStep);

/** Lets a policy spend the replay's calls and measures what the lake then knows. */
export const simulate = (replay: Replay, policy: Policy, spikes: readonly Spike[]): Outcome => {
  const count = replay.videos.length;
  const lake: Lake = {
    lastStep: Int32Array.from(replay.videos, (video) => video.from),
    earlierStep: new Int32Array(count).fill(-1),
  };
  const refreshSteps: number[][] = Array.from({ length: count }, () => []);
  let calls = 0;
  let refreshes = 0;
  let error = 0;
  const refresh = (video: number, step: number): void => {
    const known = replay.videos[video];
    if (known === undefined || lake.lastStep[video] === step) return;
    const last = lake.lastStep[video] ?? 0;
    error += errorBetween(known, last - known.from, step - known.from);
    lake.earlierStep[video] = last;
    lake.lastStep[video] = step;
    refreshSteps[video]?.push(step);
    refreshes++;
  };
  const order = replay.videos
    .map((_, i) => i)
    .sort((a, b) => (replay.videos[a]?.from ?? 0) - (replay.videos[b]?.from ?? 0));
  for (let step = 0; step < replay.steps; step++) {
    const allowed = callsAt(replay, step);
    if (allowed === 0) continue;
    const alive = order.filter((i) => {
      const { from, views } = replay.videos[i] ?? { from: 0, views: [] };
      return from <= step && step < from + views.length;
    });
    const tracked = Int32Array.from(alive);
    const now = EPOCH + step * replay.stepHours * HOUR_MS;
    const seen = { step, tracked, now, columns: columnsAt(replay, lake, tracked) };
    for (const asked of policy.choose(seen, allowed).slice(0, allowed)) {
      calls++;
      if ('video' in asked) refresh(tracked[asked.video] ?? -1, step);
      else {
        const own = pageOf(seen, asked.creator);
        const shown = own.slice(0, PAGE_VIDEOS);
        for (const i of shown) refresh(tracked[i] ?? -1, step);
        policy.seenPage?.(
          own.length,
          shown.map((_, rank) => rank),
        );
      }
    }
  }
  let videoSteps = 0;
  replay.videos.forEach((video, i) => {
    const end = video.views.length - 1;
    error += errorBetween(video, (lake.lastStep[i] ?? 0) - video.from, end);
    videoSteps += end;
  });
  const within = [1, 6, 24].map((hours) => {
    if (hours < replay.stepHours || spikes.length === 0) return undefined;
    const noticed = spikes.filter(({ video, step }) =>
      refreshSteps[video]?.some((at) => at > step && (at - step) * replay.stepHours <= hours),
    );
    return noticed.length / spikes.length;
  });
  return { error: error / videoSteps, calls, refreshes, spikes: within };
};
