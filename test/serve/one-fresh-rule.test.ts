import { afterAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/all-jobs.ts';
import { systemClock, virtualClock } from '../../src/base/clock.ts';
import { writeMeta } from '../../src/lake/meta.ts';
import { openLake } from '../../src/lake/open.ts';
import type { Origin } from '../../src/lake/origin.ts';
import { PipelineReader } from '../../src/run/pipeline/pipeline-reader.ts';
import { startService } from '../../src/serve/service.ts';
import { freshFolder } from '../support/fresh.ts';
import { smallConfig } from '../support/sync-once.ts';
import { fillLake, hoursAgo, NOW } from './filled-lake.ts';

const started: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of started.splice(0)) await stop();
});

/** Verdicts of the pages about a feed of this age, pulled with a schedule of one pull an hour. */
const verdicts = async (age: number, origin: Origin) => {
  const dataDir = freshFolder();
  fillLake(dataDir, (into) => {
    into.video({ id: 'tt_1', snapshots: [[hoursAgo(age), 5]] });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: hoursAgo(age),
      total: 1,
      ranks: [{ rank: 1, id: 'tt_1' }],
    });
  });
  const lake = openLake(dataDir);
  writeMeta(lake.sqlite, 'origin', origin);
  lake.sqlite
    .prepare(
      "insert into calls (job, request, sent_at, finished_at, status, sender) values ('feed', 'GET /feed/tiktok', ?, ?, 200, 'x')",
    )
    .run(hoursAgo(age), hoursAgo(age));
  lake.close();
  const config = smallConfig(dataDir, 'http://127.0.0.1:9/v1');
  const pipeline = new PipelineReader({ dataDir, config, jobs: JOBS, chores: [] });
  const clock = virtualClock(NOW);
  const service = await startService({ dataDir, clock, machine: systemClock, pipeline });
  started.push(async () => {
    await service.close();
    await pipeline.close();
  });
  const page = async (path: string) => (await fetch(new URL(path, service.dashboard))).text();
  const hasFreshDot = (text: string) => text.includes('class="dot fresh"></span><span title=');
  const overview = await page('/');
  return [
    hasFreshDot(overview),
    overview.includes('<span class="up">on time</span>'),
    hasFreshDot(await page('/trends/tiktok?list=feed')),
    !(await page('/pipeline')).includes('Needs attention'),
  ];
};

test.each([
  [1, 'upstream', true],
  [15, 'upstream', false],
  [15, 'sandbox', true],
  [40, 'sandbox', false],
] as const)('a feed of %i h from %s is fresh on all pages or on none', async (age, origin, is) => {
  expect(await verdicts(age, origin)).toEqual([is, is, is, is]);
});
