import { describe, expect, onTestFinished, test } from 'vitest';
import { JOBS } from '../../../jobs/all-jobs.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { readConfig } from '../../../src/base/config/config.ts';
import { Secret } from '../../../src/base/secret.ts';
import { openLake } from '../../../src/lake/open.ts';
import { PipelineReader } from '../../../src/run/pipeline/pipeline-reader.ts';
import { spentOfKeys } from '../../../src/run/plan/key-plan.ts';
import { quotaSection } from '../../../src/serve/pages/pipeline-quota.ts';
import { SharedLedgers } from '../../../src/upstream/ledger-postgres/shared-ledgers.ts';
import { freshFolder } from '../../support/fresh.ts';
import { ledgerServer } from './ledger-server.ts';

const servers = await ledgerServer();

/** The quota on /pipeline of a machine that is set to 90 calls a minute and 900 a month. */
const shownQuota = async (url: string, apiKey?: string): Promise<string> => {
  const dataDir = freshFolder();
  const lake = openLake(dataDir);
  onTestFinished(() => lake.close());
  const env = {
    TRENDLAKE_DATA_DIR: dataDir,
    TRENDLAKE_BASE_URL: 'http://127.0.0.1:1/v1',
    ...(apiKey === undefined ? {} : { TRENDLAKE_API_KEY: apiKey }),
    TRENDLAKE_RATE_PER_MINUTE: '90',
    TRENDLAKE_CALLS_PER_MONTH: '900',
    TRENDLAKE_QUOTA_RESET: 'rolling',
  };
  const config = readConfig({ env, cwd: dataDir });
  const read = async (now: number) => {
    const times = { clock: systemClock, patienceMs: 0 };
    const ledgers = new SharedLedgers(new Secret(url), { ...times, lakeName: 'berlin' });
    onTestFinished(() => ledgers.close());
    return spentOfKeys(lake, config, { ledgers, now });
  };
  const pipeline = new PipelineReader({ dataDir, config, jobs: JOBS, chores: [], spent: read });
  onTestFinished(() => pipeline.close());
  const now = systemClock.now(); // the ledger has the clock of its server
  const wish = { asOf: now, now, limit: 5, page: 1, run: undefined };
  const { present } = await pipeline.read(wish);
  return present === null ? '' : String(quotaSection(present, now, undefined));
};

test('a page says that the limits are unknown while the shared ledger is away', async () => {
  const page = await shownQuota(
    'postgres://trendlake:hunter2@127.0.0.1:1/trendlake',
    'the-one-key',
  );
  expect(page).toContain('The limits and the remaining quota are unknown: ');
  expect(page).toContain('127.0.0.1:1/trendlake');
  expect(page).not.toMatch(/900|hunter2/);
});

describe.skipIf(servers.missing !== undefined)(servers.missing ?? 'a ledger in PostgreSQL', () => {
  test('a page shows the limits of the shared ledger, and says that they are shared', async () => {
    const { url, db } = await servers.freshLedger();
    onTestFinished(() => db.close());
    const unstated = await shownQuota(url, 'the-one-key');
    expect(unstated).toContain(
      'All machines share these limits: 90 calls a minute and 900 a month',
    );
    expect(unstated).toContain('the settings of this machine are shown');

    const lake = openLake(freshFolder());
    onTestFinished(() => lake.close());
    const paris = new SharedLedgers(new Secret(url), { clock: systemClock, lakeName: 'paris' });
    onTestFinished(() => paris.close());
    const ledger = paris.open(
      lake,
      {
        apiKey: new Secret('the-one-key'),
        ratePerMinute: 7,
        callsPerMonth: 70,
        quotaReset: 'rolling',
        timeoutMs: 1000,
      },
      { clock: systemClock, sender: 'one' },
    );
    expect(await ledger.admit({ runId: null, job: 'feed', request: 'GET /feed' })).toHaveProperty(
      'callId',
    );
    const page = await shownQuota(url, 'the-one-key');
    expect(page).toContain('All machines share these limits: 7 calls a minute and 70 a month.');
    expect(page).toContain('1 of 70 calls spent');
    expect(page).not.toContain('the settings of this machine');
  });

  test('a page without the key shows the one that its lake used last', async () => {
    const { url, db } = await servers.freshLedger();
    onTestFinished(() => db.close());
    const lake = openLake(freshFolder());
    onTestFinished(() => lake.close());
    for (const [lakeName, name, ratePerMinute] of [
      ['berlin', 'an-old-key', 8],
      ['berlin', 'the-one-key', 7],
      ['paris', 'another-key', 9],
    ] as const) {
      const machine = new SharedLedgers(new Secret(url), { clock: systemClock, lakeName });
      onTestFinished(() => machine.close());
      const limits = { apiKey: new Secret(name), ratePerMinute, callsPerMonth: 10 * ratePerMinute };
      const by = { clock: systemClock, sender: 'one' };
      const rolling = { ...limits, quotaReset: 'rolling', timeoutMs: 1000 };
      const call = { runId: null, job: 'feed', request: 'GET /feed' };
      expect(await machine.open(lake, rolling, by).admit(call)).toHaveProperty('callId');
    }
    await db.rows(
      `update ${db.schema}.members set seen_at = seen_at - 1 where rate_per_minute = 8`,
    );
    const page = await shownQuota(url);
    expect(page).toContain('All machines share these limits: 7 calls a minute and 70 a month.');
    expect(page).toContain('1 of 70 calls spent');
  });
});
