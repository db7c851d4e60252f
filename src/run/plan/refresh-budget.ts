import type { Platform, RefreshJob } from '../../../schema/vocabulary.ts';

/** How many refreshes of some platforms a run may make. */
export interface RefreshBudget {
  readonly platforms: readonly Platform[];
  readonly calls: Readonly<Record<RefreshJob, number>>;
}

/** Two budgets that share a platform are one: either key may make its refreshes. */
export const joined = (budgets: readonly RefreshBudget[], one: RefreshBudget): RefreshBudget[] => {
  const meets = (budget: RefreshBudget): boolean =>
    budget.platforms.some((platform) => one.platforms.includes(platform));
  const whole = budgets.filter(meets).reduce(
    (sum, { platforms, calls }) => ({
      platforms: [...new Set([...platforms, ...sum.platforms])],
      calls: {
        growth: sum.calls.growth + calls.growth,
        creators: sum.calls.creators + calls.creators,
      },
    }),
    one,
  );
  return [...budgets.filter((budget) => !meets(budget)), whole];
};
