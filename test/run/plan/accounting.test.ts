import { expect, test } from 'vitest';
import { JOBS } from '../../../jobs/all-jobs.ts';
import { accounting } from '../../../src/run/plan/accounting.ts';
import { planMonth } from '../../../src/run/plan/month-plan.ts';
import { lakeSpent } from '../../../src/upstream/throttle/lake-ledger.ts';
import { spentOverTime } from '../../../src/upstream/throttle/month.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { smallConfig } from '../../support/sync-once.ts';
import { openTestLake } from '../../support/test-lake.ts';

const NOW = Date.UTC(2026, 10, 10);

test.each(['1000', '4000', '100000'])(
  'of a month of %s calls, what stands and what will be is one forecast',
  async (callsPerMonth) => {
    const dataDir = freshFolder();
    const lake = openTestLake(dataDir);
    const config = smallConfig(dataDir, 'http://127.0.0.1:9/v1', { callsPerMonth });
    lake.sqlite
      .prepare("insert into calls (job, request, sent_at, sender) values ('feed', '/', ?, 'x')")
      .run(NOW - 1);
    const plan = planMonth(JOBS, config, lakeSpent(lake, config, NOW));
    const told = await accounting(lake, config, JOBS, { now: NOW });
    lake.close();
    expect(told.plan).toEqual(plan);
    expect(told.forecast).toBe(1 + plan.fixed + plan.refreshes);
    expect(told.spentAt === null).toBe(plan.fixed <= told.month.remaining);
    if (told.spentAt !== null) expect(told.spentAt).toBeGreaterThan(NOW);
  },
);

test('`status` and `plan` agree on the rest of the month', async () => {
  const dataDir = freshFolder();
  openTestLake(dataDir).close();
  const env = {
    TRENDLAKE_CALLS_PER_MONTH: '30',
    TRENDLAKE_BASE_URL: 'http://127.0.0.1:9/v1',
    TRENDLAKE_API_KEY: 'x',
  };
  const [status, plan] = await Promise.all(
    ['status', 'plan'].map((command) => runCommand([command], { dataDir, env })),
  );
  const missing = /the schedules need ([\d,]+) more calls/;
  const [stated] = missing.exec(plan?.out ?? '') ?? [];
  expect(stated).toBeDefined();
  expect(status?.out).toContain(stated);
  expect(status?.out).not.toContain('on schedule you will use');
});

test('draws the calls left over time in steps, not call by call', () => {
  const dataDir = freshFolder();
  const lake = openTestLake(dataDir);
  const config = smallConfig(dataDir, 'http://127.0.0.1:9/v1', { callsPerMonth: '5000' });
  const insert = lake.sqlite.prepare(
    "insert into calls (job, request, sent_at, sender) values ('feed', '/', ?, 'x')",
  );
  const startsAt = Date.UTC(2026, 10, 1);
  lake.sqlite.transaction(() => {
    for (let call = 0; call < 1000; call += 1)
      insert.run(startsAt + Math.floor((call * (NOW - startsAt)) / 1000));
  })();
  const { month } = lakeSpent(lake, config, NOW);
  const line = spentOverTime(lake, month, NOW);
  lake.close();
  expect(line.length).toBeGreaterThan(200);
  expect(line.length).toBeLessThan(250);
  expect(line.every(({ at }, index) => at >= (line[index - 1]?.at ?? startsAt))).toBe(true);
  expect([line[0], line.at(-1)]).toEqual([
    { at: startsAt, left: 5000 },
    { at: NOW, left: 4000 },
  ]);
});
