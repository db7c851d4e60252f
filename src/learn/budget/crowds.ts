import { MOST_HALVINGS, type PageOdds } from './creator-pages.ts';
import { type Crowd, cellOf, type PlanLadder } from './price.ts';
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

/** Counts videos that want their next refresh at the same time, by platform and halvings. */
export const crowdsOf = (
  {
    now,
    tracked,
    ladders,
  }: { now: number; tracked: TrackedVideos; ladders: readonly PlanLadder[] },
  odds: PageOdds | undefined,
): Crowd[] => {
  const { groups, state } = tracked;
  const crowds = new Map<number, Crowd>();
  for (let group = 0; group < groups.to.length; group++)
    for (let slot = groups.from[group] ?? 0; slot < (groups.to[group] ?? 0); slot++) {
      const halvings = halvingsOf(groups, odds, group, slot);
      const platform = groups.platform[group] ?? 0;
      const kind = platform * (MOST_HALVINGS + 1) + halvings;
      const ladder = ladders[platform];
      if (ladder === undefined) continue;
      const crowd = crowds.get(kind) ?? { ladder, halvings, cells: new Map<number, number>() };
      crowds.set(kind, crowd);
      const cell = cellOf(state[slot] ?? 0, stepsSince(tracked, slot, now));
      crowd.cells.set(cell, (crowd.cells.get(cell) ?? 0) + 1);
    }
  return [...crowds.values()];
};
