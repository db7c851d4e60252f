import { expect, test } from 'vitest';
import { startDialectUpstream } from '../../../fixtures/dialect-upstream.ts';
import { lakeRows } from '../../../fixtures/lake-rows.ts';
import type { UpstreamSettings } from '../../../src/base/config/upstream-settings.ts';
import { isReplayDue } from '../../../src/ingest/responses/adopt-words.ts';
import { replayResponses } from '../../../src/ingest/responses/replay.ts';
import { freshLake } from '../../support/fresh.ts';
import { syncOnce } from '../../support/sync-once.ts';

const syncInto = async (dialects: readonly string[], upstream: UpstreamSettings) => {
  const service = await startDialectUpstream(dialects);
  try {
    const lake = freshLake();
    const config = { upstream: JSON.stringify(upstream) };
    const { summary } = await syncOnce(lake.dataDir, service.baseUrl, { config, lake });
    return { lake, summary };
  } finally {
    await service.close();
  }
};

const countCalls = ({ sqlite }: ReturnType<typeof freshLake>): unknown =>
  sqlite.prepare('select count(*) from calls').pluck().get();

test.each<[string[], UpstreamSettings, string]>([
  [['fraction'], { engagementRate: 'fraction' }, 'complete'],
  [['prefixes'], { idPrefixes: { tiktok: 'tk', instagram: 'insta', youtube: 'yts' } }, 'complete'],
  [['envelope'], { lists: { items: 'payload.rows', total: 'payload.count' } }, 'failed'],
])(
  'a replay mends what was loaded before the settings knew %j',
  async (dialects, upstream, outcome) => {
    const right = await syncInto(dialects, upstream);
    expect(right.summary.outcome).toBe('complete');
    expect(isReplayDue(right.lake, upstream)).toBe(false);

    const { lake, summary } = await syncInto(dialects, {});
    expect(summary.outcome).toBe(outcome);
    expect(isReplayDue(lake, {})).toBe(false);
    expect(isReplayDue(lake, upstream)).toBe(true);
    const calls = countCalls(lake);
    await replayResponses(lake, lake, { upstream });
    expect(isReplayDue(lake, upstream)).toBe(false);
    expect(countCalls(lake)).toBe(calls);
    if (outcome === 'complete') expect(lakeRows(lake)).toEqual(lakeRows(right.lake));
    else
      expect(
        Number(lake.sqlite.prepare('select count(*) from videos').pluck().get()),
      ).toBeGreaterThan(0);
  },
);

test('a replay stays due after a run with the new settings, until all responses are loaded again', async () => {
  const { lake } = await syncInto(['fraction'], {});
  const service = await startDialectUpstream(['fraction']);
  const upstream = { engagementRate: 'fraction' } as const;
  try {
    await syncOnce(lake.dataDir, service.baseUrl, {
      lake,
      config: { upstream: JSON.stringify(upstream) },
    });
  } finally {
    await service.close();
  }
  expect(isReplayDue(lake, upstream)).toBe(true);
  await replayResponses(lake, lake, { upstream, since: 1 });
  expect(isReplayDue(lake, upstream)).toBe(true);
  await replayResponses(lake, lake, { upstream });
  expect(isReplayDue(lake, upstream)).toBe(false);
});
