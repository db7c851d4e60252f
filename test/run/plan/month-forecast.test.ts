import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHORES, JOBS } from '../../../jobs/all-jobs.ts';
import { JOB_NAMES, REFRESH_JOBS } from '../../../schema/vocabulary.ts';
import { readConfig } from '../../../src/base/config/config.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { CronExpression } from '../../../src/run/plan/cron.ts';
import { forecastMonth, type JobLoad } from '../../../src/run/plan/month-forecast.ts';
import { planMonth } from '../../../src/run/plan/month-plan.ts';
import { emptyMonth } from '../../../src/upstream/throttle/month.ts';

const MONTH = Date.UTC(2026, 10, 1);
const config = (env: Record<string, string> = {}) =>
  readConfig({ env: { ...env }, cwd: '/nowhere' });
const planOf = (env: Record<string, string> = {}, now = MONTH, spent = 0) => {
  const given = config(env);
  const month = emptyMonth(given, now);
  return planMonth(JOBS, given, {
    month: { ...month, remaining: month.remaining - spent },
    byHand: 0,
    at: now,
  });
};

const hourly = (runs: number): number[] =>
  Array.from({ length: runs }, (_, i) => MONTH + i * HOUR_MS);

const load = (job: string, runs: number, callsPerRun: number): JobLoad => ({
  job,
  stage: 'lists',
  schedule: '* * * * *',
  callsPerRun,
  share: 0,
  runsAt: hourly(runs),
});

describe('the month’s plan', () => {
  test('fits the beta tier by default: lists take a tenth, refreshes the rest but the reserve', () => {
    const plan = planOf();
    expect(plan).toMatchObject({ fits: true, fixed: 5100, reserve: 2500, advice: [] });
    expect(plan.jobs.map(({ job, runs }) => [job, runs])).toEqual([
      ['feed', 720],
      ['trends', 30],
      ['hashtags', 120],
      ['watch', 720],
      ['growth', 30],
      ['creators', 30],
    ]);
    expect(plan.fixed + plan.reserve + plan.refreshes + plan.surplus).toBe(50_000);
  });

  test('names the schedule to thin when lists do not fit, and that is enough', () => {
    const env = { TRENDLAKE_CALLS_PER_MONTH: '4000' };
    const plan = planOf(env);
    expect(plan).toMatchObject({ fits: false, missing: 1300, refreshes: 0 });
    expect(plan.advice[0]).toMatch(/^Run feed .* once where it ran 2 times/);
    const thinned = planOf({ ...env, TRENDLAKE_SCHEDULES: '{"feed": "5 */2 * * *"}' });
    expect(thinned.fits).toBe(true);
  });

  test('rolls unspent calls forward, within the limits', () => {
    const later = Date.UTC(2026, 10, 16);
    const growth = (spent: number, env = {}) =>
      planOf(env, later, spent).jobs.find(({ job }) => job === 'growth')?.callsPerRun ?? 0;
    expect(growth(2000)).toBeGreaterThan(growth(25_000));
    expect(growth(2000, { TRENDLAKE_GROWTH_CALLS: '300' })).toBe(300);
    expect(growth(2000, { TRENDLAKE_SHARES: '{"growth": 35, "creators": 65}' })).toBe(
      Math.floor(growth(2000) / 2),
    );
    expect(growth(2000, { TRENDLAKE_SCHEDULES: '{"creators": "off"}' })).toBeGreaterThan(
      growth(2000),
    );
  });

  test('never plans more calls than are left', () => {
    const runs = fc.integer({ min: 0, max: 800 });
    const lists = fc.record({ runs, callsPerRun: fc.integer({ min: 1, max: 50 }) });
    const refreshes = fc.record({
      runs,
      callsPerRun: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(900)),
      share: fc.nat(100),
    });
    fc.assert(
      fc.property(
        fc.array(lists, { maxLength: 3 }),
        fc.array(refreshes, { maxLength: 2 }),
        fc.nat(50_000),
        fc.nat(3000),
        (some, others, remaining, reserve) => {
          const loads = [
            ...some.map((each, i) => load(`list${i}`, each.runs, each.callsPerRun)),
            ...others.map(
              (each, i): JobLoad => ({
                job: `look${i}`,
                stage: 'refreshes',
                schedule: '',
                ...each,
                runsAt: hourly(each.runs),
              }),
            ),
          ];
          const plan = forecastMonth(loads, {
            limit: 50_000,
            remaining,
            reserve,
            ratePerMinute: 60,
          });
          if (plan.fits)
            expect(plan.fixed + plan.refreshes + plan.reserve + plan.surplus).toBe(remaining);
          else
            expect([
              plan.refreshes,
              plan.missing > 0,
              plan.advice.length > 0 || plan.fixed === 0 || plan.missing > 0,
            ]).toEqual([0, true, true]);
        },
      ),
    );
  });
});

describe('schedules', () => {
  test('settings know every job', () => {
    expect([...JOBS, ...CHORES].map(({ name }) => name).toSorted()).toEqual(
      [...JOB_NAMES].toSorted(),
    );
    expect(
      JOBS.filter(({ stage }) => stage === 'refreshes')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...REFRESH_JOBS].toSorted());
  });

  test.each([
    ['5 * * * *', 'UTC', 720],
    ['25 2,8,14,20 * * *', 'Asia/Kathmandu', 120],
    ['30 2 * * *', 'Australia/Lord_Howe', 30],
    ['0 0 13 * 5', 'UTC', 1],
  ])('%s in %s has %i slots in a month', (expression, zone, slots) => {
    expect(
      new CronExpression('feed', expression, zone).slots(MONTH - 1, Date.UTC(2026, 11, 1) - 1),
    ).toHaveLength(slots);
  });
});

describe('refuses invalid values and names the setting', () => {
  test.each([
    ['TRENDLAKE_TIER', 'gold'],
    ['TRENDLAKE_RATE_PER_MINUTE', '0'],
    ['TRENDLAKE_CALLS_PER_MONTH', '1e6'],
    ['TRENDLAKE_QUOTA_RESET', 'anchor:0'],
    ['TRENDLAKE_QUOTA_RESET', 'anchor:32'],
    ['TRENDLAKE_QUOTA_RESET', 'anchor:first'],
    ['TRENDLAKE_RESERVE_PERCENT', '101'],
    ['TRENDLAKE_RESERVE_PERCENT', '-5'],
    ['TRENDLAKE_SHARES', '{"growth": 90, "creators": 20}'],
    ['TRENDLAKE_SHARES', '{"growth": 0}'],
    ['TRENDLAKE_SHARES', '{"growth": -10, "creators": 20}'],
    ['TRENDLAKE_SHARES', '{"feed": 10}'],
    ['TRENDLAKE_SHARES', 'half'],
    ['TRENDLAKE_SCHEDULES', '{"feeds": "5 * * * *"}'],
    ['TRENDLAKE_SCHEDULES', '["5 * * * *"]'],
    ['TRENDLAKE_SCHEDULES', '{"feed": 5}'],
    ['TRENDLAKE_SCHEDULES', '{"feed": "61 * * * *"}'],
    ['TRENDLAKE_SCHEDULES', '{"feed": "* * * * * *"}'],
  ])('%s=%s', (name, value) => {
    expect(() => planOf({ [name]: value })).toThrow(name);
  });

  test('accepts the 31st', () => {
    expect(config({ TRENDLAKE_QUOTA_RESET: 'anchor:31' }).quotaReset).toBe('anchor:31');
  });
});
