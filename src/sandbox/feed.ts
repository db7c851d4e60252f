import { DAY_MS, SECOND_MS } from '../durations.ts';
import type { Lake } from '../lake/open.ts';
import { loadObservations } from '../load/observations.ts';
import type { World } from './world.ts';

/** Days of the world's past that a sandbox's lake holds when it starts. */
export const PAST_DAYS = 32;

/**
 * Fills a lake from a world, as far as it has been asked to. What the lake holds at an instant
 * depends on the world and on the UTC day of `startAt` alone, whatever the steps in between.
 * @returns brings the lake up to an instant (Unix ms); costs nothing when that second was reached
 */
export const worldFeed = (lake: Lake, world: World, startAt: number): ((at: number) => void) => {
  const fromAt = (Math.floor(startAt / DAY_MS) - PAST_DAYS) * DAY_MS;
  let fedTo = fromAt;
  return (at) => {
    const toAt = Math.floor(at / SECOND_MS) * SECOND_MS; // the world is observed at whole seconds
    if (toAt <= fedTo) return;
    for (const batch of world.observationsBetween(fedTo, toAt, fromAt))
      loadObservations(lake, batch);
    fedTo = toAt;
  };
};
