import { MOST_HALVINGS, type PageOdds } from './creator-pages.ts';
import { type Crowd, cellOf, type PlanLadder, SINCE_CELLS } from './price.ts';
import { STATES } from './refresh-states.ts';
import { FIRST_CREATOR, stepsSince, type TrackedVideos, type VideoGroups } from './tracked.ts';

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

/** Counts videos that stand alike, by platform and by how cheap their refresh is. */
export const crowdsOf = (
  {
    now,
    tracked,
    ladders,
  }: { now: number; tracked: TrackedVideos; ladders: readonly PlanLadder[] },
  odds: PageOdds | undefined,
): Crowd[] => {
  const kinds = MOST_HALVINGS + 1;
  const { groups, state } = tracked;
  const counts: (Uint32Array | undefined)[] = [];
  const occupied: number[][] = []; // most cells stay empty
  for (let group = 0; group < groups.to.length; group++)
    for (let slot = groups.from[group] ?? 0; slot < (groups.to[group] ?? 0); slot++) {
      const halvings = halvingsOf(groups, odds, group, slot);
      const kind = (groups.platform[group] ?? 0) * kinds + halvings;
      counts[kind] ??= new Uint32Array(STATES * SINCE_CELLS);
      occupied[kind] ??= [];
      const cell = cellOf(state[slot] ?? 0, stepsSince(tracked, slot, now));
      const count = counts[kind];
      if (count[cell] === 0) occupied[kind].push(cell);
      count[cell] = (count[cell] ?? 0) + 1;
    }
  return counts.flatMap((count, kind) => {
    const ladder = ladders[Math.floor(kind / kinds)];
    if (count === undefined || ladder === undefined) return [];
    const cells = Int32Array.from(occupied[kind] ?? []).sort();
    const videos = cells.map((cell) => count[cell] ?? 0);
    return [{ ladder, halvings: kind % kinds, cells, videos }];
  });
};
