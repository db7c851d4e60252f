import { largest } from '../../src/learn/budget/largest.ts';
import type { Replay } from './replay.ts';
import type { Policy } from './simulate.ts';

/** Hours over which it measures a video's pace. */
const PACE_HOURS = 6;
/** Hours after which it expects to refresh a video again anyway. */
const MOST_HOURS = 48;

/**
 * Sees the true count of every video at every step for nothing, but not the future. It refreshes
 * where the lake's error, for as long as it would last, is largest: until growth at the present
 * pace has brought half of that error back.
 */
export const allSeeing = (replay: Replay): Policy => {
  const last = new Int32Array(replay.videos.length);
  const paceSteps = Math.max(1, Math.round(PACE_HOURS / replay.stepHours));
  const worth = (video: number, step: number): number => {
    const known = replay.videos[video];
    if (known === undefined) return 0;
    const now = step - known.from;
    const views = known.views[now] ?? 1;
    const error = 1 - (known.views[last[video] ?? 0] ?? 0) / views;
    const back = Math.min(now, paceSteps);
    const grown = Math.log(views / (known.views[now - back] ?? 1));
    const most = MOST_HOURS / replay.stepHours;
    return error * (grown === 0 ? most : Math.min(most, (error * back) / (2 * grown)));
  };
  return {
    name: 'sees every count, not the future',
    choose: ({ tracked, step }, calls) => {
      const chosen = largest(
        Float64Array.from(tracked, (video) => worth(video, step)),
        calls,
      );
      for (const at of chosen) {
        const video = tracked[at] ?? 0;
        last[video] = step - (replay.videos[video]?.from ?? 0);
      }
      return chosen.map((video) => ({ video }));
    },
  };
};
