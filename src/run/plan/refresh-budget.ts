import type { Platform, RefreshJob } from '../../../schema/vocabulary.ts';

/** Refreshes of some platforms that a run may make. */
export interface RefreshBudget {
  readonly platforms: readonly Platform[];
  readonly calls: Readonly<Record<RefreshJob, number>>;
}

/** Merges budgets that share a platform: either key can make those refreshes. */
export const addBudget = (
  budgets: readonly RefreshBudget[],
  added: RefreshBudget,
): RefreshBudget[] => {
  const overlaps = (budget: RefreshBudget): boolean =>
    budget.platforms.some((platform) => added.platforms.includes(platform));
  const merged = budgets.filter(overlaps).reduce(
    (sum, { platforms, calls }) => ({
      platforms: [...new Set([...platforms, ...sum.platforms])],
      calls: {
        growth: sum.calls.growth + calls.growth,
        creators: sum.calls.creators + calls.creators,
      },
    }),
    added,
  );
  return [...budgets.filter((budget) => !overlaps(budget)), merged];
};
