import type { Replay } from './replay.ts';

/** A moment from which a video suddenly grows: `step` is the last step before it shows. */
export interface Spike {
  readonly video: number;
  readonly step: number;
}

const WINDOW_HOURS = 6;
const BEFORE_HOURS = 24;
const LEAST_GROWTH = 0.2;
const LEAST_SPEEDUP = 3;
const LEAST_VIEWS = 100;

/**
 * Spikes of the true curves: within 6 hours (or one step, if longer) a video at least 24 hours
 * tracked gains a fifth and at least 100 views, and three times what it gained per such window over
 * the 24 hours before. The first step of each, at most one a day and video.
 */
export const spikesOf = ({ videos, stepHours }: Replay): Spike[] => {
  const window = Math.max(1, Math.round(WINDOW_HOURS / stepHours));
  const before = Math.max(2 * window, Math.round(BEFORE_HOURS / stepHours));
  return videos.flatMap(({ views, from }, video) => {
    const spikes: Spike[] = [];
    for (let t = before; t + window < views.length; t++) {
      const now = views[t] ?? 0;
      const gained = (views[t + window] ?? 0) - now;
      const usual = ((now - (views[t - before] ?? 0)) * window) / before;
      if (gained < LEAST_VIEWS || gained < LEAST_GROWTH * now || gained < LEAST_SPEEDUP * usual)
        continue;
      let onset = t;
      while (onset < t + window && (views[onset + 1] ?? 0) - now < gained / (2 * window)) onset++;
      spikes.push({ video, step: from + onset });
      t += before;
    }
    return spikes;
  });
};
