import { expect, test } from 'vitest';
import { startDialectUpstream } from '../../../fixtures/dialect-upstream.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { lakeConditions } from '../../../src/alerts/notify/judge.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { readDrift } from '../../../src/lake/read/drift.ts';
import { freshLake } from '../../support/fresh.ts';
import { syncOnce } from '../../support/sync-once.ts';

/** The drift of a service that changes from our own interface to a dialect overnight. */
const changed = async (dialects: readonly string[]) => {
  const lake = freshLake();
  for (const [night, spoken] of [[], dialects].entries()) {
    const service = await startDialectUpstream(spoken);
    const clock = virtualClock(WORLD_AT + night * DAY_MS);
    await syncOnce(lake.dataDir, service.baseUrl, { lake, clock, only: ['feed'] });
    await service.close();
  }
  return { lake, drift: readDrift(lake.sqlite, 20) };
};

test('a list that moved is shown before and after, with the setting that finds it', async () => {
  const { lake, drift } = await changed(['envelope']);
  const [moved] = drift;
  expect(moved).toMatchObject({
    resource: 'list',
    field: '(unknown shape)',
    setting: 'lists.items',
  });
  expect(moved?.former).toMatch(/^\{"page".*"items":\[/);
  expect(moved?.sample).toContain('"payload":{');
  const notices = lakeConditions(lake, WORLD_AT + DAY_MS).filter(({ kind }) => kind === 'drift');
  expect(notices[0]?.sentence).toMatch(
    /Before: \{.* Now: .*"payload".* Set upstream\.lists\.items/,
  );
});

test('a rate that became a fraction is noticed, with the setting that mends it', async () => {
  const { drift } = await changed(['fraction']);
  expect(drift).toHaveLength(1);
  expect(drift[0]).toMatchObject({
    resource: 'content item',
    setting: 'engagementRate',
    former: '10',
  });
  expect(drift[0]?.field).toMatch(/a fraction/);
  expect(drift[0]?.sample).toContain('"engagementRate":0.1');
});

test('a first response that differs has nothing before it', async () => {
  const lake = freshLake();
  const service = await startDialectUpstream(['results']);
  await syncOnce(lake.dataDir, service.baseUrl, { lake, only: ['feed'] });
  await service.close();
  const drift = readDrift(lake.sqlite, 20);
  expect(drift.map(({ field }) => field)).toContain('items (as results)');
  expect(drift.every(({ former }) => former === null)).toBe(true);
});
