/** Calls per sliding minute and per month. Limits of `enterprise` are settings. */
export const TIERS = {
  beta: { ratePerMinute: 60, callsPerMonth: 50_000 },
  scale: { ratePerMinute: 300, callsPerMonth: 500_000 },
  enterprise: undefined,
} as const;
export type Tier = keyof typeof TIERS;
export const TIER_NAMES = Object.keys(TIERS) as Tier[];
