import { expect, test } from 'vitest';
import * as faults from '../../../fixtures/faults.ts';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { freshDataDir, freshLake } from '../../support/fresh.ts';
import { syncOnce } from '../../support/sync-once.ts';

const FOR_EVER = Number.POSITIVE_INFINITY;

test('a list that lacks what it had deletes nothing, and says nothing of its counts', async () => {
  const upstream = await startFaultyUpstream();
  const dataDir = freshDataDir();
  const first = await syncOnce(dataDir, upstream.baseUrl);
  await upstream.close();
  const emptied = await startFaultyUpstream([
    {
      fault: faults.rewrite((body) => ({ ...body, total: 0, items: [] })),
      times: FOR_EVER,
      on: /feed|trends|hashtags/,
    },
  ]);
  emptied.at = WORLD_AT + HOUR_MS;
  const second = await syncOnce(dataDir, emptied.baseUrl);
  await emptied.close();
  expect(second.summary.outcome).toBe('complete');
  expect(second.rows).toEqual({ ...first.rows });
  // the snapshot itself is kept: it was there, and empty
  const lake = freshLake(dataDir);
  const snapshots = `select count(*) from capture where captured_at = ${WORLD_AT + HOUR_MS}`;
  expect(countOf(lake, snapshots)).toBeGreaterThan(0);
});

test('a gap between two snapshots is seen as one: no row in between, its length beside the gain', async () => {
  const upstream = await startFaultyUpstream();
  const dataDir = freshDataDir();
  await syncOnce(dataDir, upstream.baseUrl);
  upstream.at = WORLD_AT + 72 * HOUR_MS;
  await syncOnce(dataDir, upstream.baseUrl);
  await upstream.close();
  const lake = freshLake(dataDir);
  const history = lake.sqlite
    .prepare("select observed_at, views_gained, hours_since from video_history where id = 'tt_50'")
    .all();
  expect(history).toEqual([
    { observed_at: isoOf(WORLD_AT), views_gained: null, hours_since: null },
    { observed_at: isoOf(WORLD_AT + 72 * HOUR_MS), views_gained: 36_000, hours_since: 72 },
  ]);
});
