import { expect, test } from 'vitest';
import * as faults from '../../../fixtures/faults.ts';
import { type FaultRule, startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';

const always = Number.POSITIVE_INFINITY;

/** A service after an update: a field more, one of another type, one gone, a list and a response reshaped. */
const UPDATED: FaultRule[] = [
  {
    on: /feed\/tiktok/,
    times: always,
    fault: faults.rewrite((body) => ({
      ...body,
      items: body.items.map(({ likes: _, ...item }) => ({
        ...item,
        mood: 'good',
        views: `${item.views}k`,
      })),
    })),
  },
  {
    on: /trends\/tiktok\//,
    times: always,
    fault: faults.rewrite(({ items, ...rest }) => ({ ...rest, data: { items } })),
  },
  { on: /hashtags/, times: always, fault: faults.text('{"tags": ["dance"]}') },
];

test('sync and status report drift once, with its first sample', async () => {
  const upstream = await startFaultyUpstream(UPDATED);
  const dataDir = freshFolder();
  const env = {
    TRENDLAKE_BASE_URL: upstream.baseUrl,
    TRENDLAKE_API_KEY: KEY,
    TRENDLAKE_PLATFORMS: 'tiktok',
    TRENDLAKE_GROWTH_CALLS: '1',
    TRENDLAKE_CREATOR_CALLS: '1',
  };
  const told = [
    /content item: mood, first in GET \/feed\/tiktok\S*: "good"/,
    /content item: views \(unexpected value\), first in GET \/feed\/tiktok\S*: "120000k"/,
    /content item: likes \(missing\), first in GET \/feed\/tiktok\S*: {"id":"tt_0",/,
    /list: items \(as data\.items\), first in GET \/trends\/tiktok\S*: {"platform":"tiktok",/,
    /list: \(unknown shape\), first in GET \/hashtags\S*: {"tags":\["dance"\]}/,
  ];

  const first = await runCommand(['sync', '--no-export'], { dataDir, env });
  expect(first.code).toBe(3); // no hashtags
  expect(first.out).toMatch(/5 drifted fields, seen for the first time:/);
  for (const words of told) expect(first.out).toMatch(words);

  const second = await runCommand(['sync', '--no-export', '--json'], { dataDir, env });
  expect(JSON.parse(second.out)).toMatchObject({ outcome: 'partial', drift: [] });

  const { out } = await runCommand(['status'], { dataDir, env });
  const lines = out.split('\n').filter((line) => /: .*, first seen \S+: /.test(line));
  expect(lines).toHaveLength(told.length);
  for (const words of told)
    expect(out).toMatch(new RegExp(words.source.replace(/first in .*?: /, 'first seen \\S+: ')));
  await upstream.close();
});
