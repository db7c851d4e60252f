import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as faults from '../../../fixtures/faults.ts';
import { type FaultRule, startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { countOf, lakeRows } from '../../../fixtures/lake-rows.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { replayResponses } from '../../../src/ingest/responses/replay.ts';
import { rowsChanged } from '../../../src/ingest/writers/tally.ts';
import { type Lake, openLake } from '../../../src/lake/open.ts';
import { freshDataDir, freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { syncOnce } from '../../support/sync-once.ts';

const HOUR_MS = 3_600_000;
const FIRST_PAGE = Array.from({ length: 100 }, (_, n) => ({
  id: `yt_${n}`,
  platform: 'youtube',
}));
/** A creator renamed, an odd field, an unknown one, an item without id, a page twice, one nobody can read. */
const STRANGE: FaultRule[] = [
  { on: /feed\/tiktok.*page=1/, fault: faults.item({ views: -3, mood: 'good', user: 'renamed' }) },
  { on: /feed\/tiktok.*page=1/, after: 1, fault: faults.item({ user: 'again', mood: 'better' }) },
  { on: /feed\/youtube.*page=1/, fault: faults.item({ id: 7 }) },
  {
    on: /feed\/youtube.*page=2/,
    after: 1, // the first sync's page 1 lacks an item
    fault: faults.rewrite((body) => ({ ...body, items: FIRST_PAGE })),
  },
  { on: /trends\/tiktok\/week/, fault: faults.text('{"things": []}') },
];

/** A lake of three syncs, hours apart. */
const remembered = async (): Promise<Lake> => {
  const dataDir = freshDataDir();
  const upstream = await startFaultyUpstream(STRANGE);
  for (const hours of [0, 7, 20]) {
    upstream.at = WORLD_AT + hours * HOUR_MS;
    await syncOnce(dataDir, upstream.baseUrl);
  }
  await upstream.close();
  return freshLake(dataDir);
};

/** Children first; `search` follows the videos by its triggers. */
const LOADED = [
  'ranking capture video_hashtag video_revision extra_revision video_snapshot hashtag_snapshot',
  'creator_snapshot creator_revision creator hashtag video analyses drift rejected_items touched_partitions',
].flatMap((names) => names.split(' '));

const oddities = ({ sqlite }: Lake) => ({
  drift: sqlite.prepare('select resource, field, sample from drift order by 1, 2').all(),
  rejected: sqlite.prepare('select call_id, reason, item from rejected_items order by 1').all(),
});

test('drop the loaded tables, replay, equal: into the same lake and into a fresh one', async () => {
  const lake = await remembered();
  const before = lakeRows(lake);
  const odd = oddities(lake);
  const calls = countOf(lake, 'select count(*) from calls');
  expect(before.video_revision).not.toEqual([]);
  expect(before.extra_revision).not.toEqual([]);
  expect(odd.drift).toContainEqual(expect.objectContaining({ field: 'page (repeated)' }));
  for (const table of LOADED) lake.sqlite.exec(`delete from ${table}`);
  expect(lakeRows(lake).videos).toEqual([]);

  const summary = await replayResponses(lake, lake);
  expect(lakeRows(lake)).toEqual(before);
  expect(oddities(lake)).toEqual(odd);
  expect(summary).toMatchObject({ outcome: 'complete', newlyRead: 0, unreadableCount: 1 });
  expect(countOf(lake, 'select count(*) from calls')).toBe(calls);

  const fresh = freshLake();
  await replayResponses(lake, fresh);
  expect(lakeRows(fresh)).toEqual(before);

  lake.sqlite.exec("update responses set body = x'00' where call_id = 1");
  const rest = await replayResponses(lake, lake);
  expect(rest).toMatchObject({ outcome: 'partial', answers: summary.answers - 1 });
  expect(rest.unreadable).toContainEqual(
    expect.objectContaining({ callId: 1, problem: 'its stored body is damaged' }),
  );
});

test('a replay over what is there changes nothing and touches no partition', async () => {
  const lake = await remembered();
  const before = lakeRows(lake);
  lake.sqlite.exec('delete from touched_partitions');
  const summary = await replayResponses(lake, lake);
  expect(rowsChanged(summary.rows)).toBe(0);
  expect(lakeRows(lake)).toEqual(before);
  expect(countOf(lake, 'select count(*) from touched_partitions')).toBe(0);

  const forgetting = (done: number): void => {
    if (done === 1) lake.sqlite.exec('delete from responses'); // as the night's prune may
  };
  const cutShort = await replayResponses(lake, lake, { onProgress: forgetting });
  expect(cutShort).toMatchObject({ outcome: 'complete', answers: 1 });
});

test('a response that could not be read when it came is loaded once the decoder can', async () => {
  const lake = await remembered();
  const failed = lake.sqlite
    .prepare(
      'select c.id from calls c join responses r on r.call_id = c.id where c.error is not null',
    )
    .pluck()
    .get();
  // the page as it will be seen by a decoder that knows its shape
  const good = lake.sqlite
    .prepare(
      "select body from responses r join calls c on c.id = r.call_id where c.request like '%trends/tiktok/month%' limit 1",
    )
    .pluck()
    .get();
  lake.sqlite.prepare('update responses set body = ? where call_id = ?').run(good, failed);
  const summary = await replayResponses(lake, lake);
  expect(summary).toMatchObject({ newlyRead: 1, unreadableCount: 0 });
});

test('the command: since, into, --json, and what it says without a lake', async () => {
  const lake = await remembered();
  const { dataDir } = lake;
  const since = new Date(WORLD_AT + 19 * HOUR_MS).toISOString();
  const into = join(freshFolder(), 'rebuilt');
  const ran = await runCommand(['replay', '--since', since, '--into', into, '--json'], { dataDir });
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.out)).toMatchObject({ outcome: 'complete', unreadable: [] });
  const rebuilt = openLake(into);
  expect(countOf(rebuilt, 'select count(distinct captured_at) from capture')).toBe(1);
  rebuilt.close();
  expect((await runCommand(['replay'], { dataDir })).out).toMatch(/no call spent/);
  expect((await runCommand(['replay', '--since', 'then'], { dataDir })).code).toBe(2);
  const nowhere = await runCommand(['replay'], { dataDir: join(freshFolder(), 'none') });
  expect(nowhere.code).toBe(2);
  expect(nowhere.err).toMatch(/There is no lake/);
});
