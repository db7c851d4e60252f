import { afterAll, expect, test } from 'vitest';
import { systemClock, virtualClock } from '../../src/base/clock.ts';
import type { Surroundings } from '../../src/cli/context/io.ts';
import { run } from '../../src/cli/main.ts';
import { createKey } from '../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { startService } from '../../src/serve/service.ts';
import type { RunningService } from '../../src/serve/service-options.ts';
import { type Filler, fillLake, freshFolder, hoursAgo, NOW } from './filled-lake.ts';

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const clean of cleanups.toReversed()) await clean();
});

interface Served {
  readonly service: RunningService;
  readonly key: string;
  readonly dataDir: string;
}

const serve = async (dataDir: string): Promise<Served> => {
  const db = openServiceDb(dataDir);
  const wish = {
    useCase: 'x',
    tier: 'enterprise',
    ratePerMinute: 1e5,
    callsPerMonth: 1e6,
  } as const;
  const { key } = createKey(db, wish, NOW);
  db.close();
  const service = await startService({
    dataDir,
    clock: virtualClock(NOW),
    machine: systemClock,
    at: NOW,
  });
  cleanups.push(() => service.close());
  return { service, key, dataDir };
};

const folder = (): string => {
  const { dataDir, remove } = freshFolder();
  cleanups.push(remove);
  return dataDir;
};

/** A new lake synced once from a service. */
const syncFrom = async ({ service, key }: Served): Promise<string> => {
  const dataDir = folder();
  const err: string[] = [];
  const io: Surroundings = {
    env: {
      TRENDLAKE_DATA_DIR: dataDir,
      TRENDLAKE_BASE_URL: service.url,
      TRENDLAKE_API_KEY: key,
      TRENDLAKE_TIER: 'enterprise',
      TRENDLAKE_RATE_PER_MINUTE: '100000',
      TRENDLAKE_CALLS_PER_MONTH: '1000000',
      TRENDLAKE_GROWTH_CALLS: '80',
      TRENDLAKE_CREATOR_CALLS: '20',
    },
    cwd: dataDir,
    clock: virtualClock(NOW),
    random: () => 0.5,
    signal: new AbortController().signal,
    isTerminal: false,
    columns: undefined,
    out: () => {},
    err: (line) => void err.push(line),
    draw: () => {},
  };
  expect(await run(['sync', '--no-export', '--json'], io), err.join('\n')).toBe(0);
  return dataDir;
};

const TABLES = {
  videos: 'select * from videos order by id',
  video_snapshots: 'select * from video_snapshots order by video_id, observed_at',
  rankings:
    'select list, platform, period, captured_at, rank, video_id, total, score, velocity from rankings order by 1, 2, 3, 4, 5',
  hashtag_snapshots: 'select * from hashtag_snapshots order by tag, platform, observed_at',
  video_hashtags: 'select * from video_hashtags order by 1, 2',
  creators: 'select * from creators order by 1, 2',
  creator_snapshots: 'select * from creator_snapshots order by 1, 2, 3',
};

const rowsOf = (dataDir: string): Record<string, unknown[]> => {
  const lake = openLakeForReading(dataDir);
  const rows = Object.entries(TABLES).map(([name, sql]) => [name, lake.sqlite.prepare(sql).all()]);
  lake.close();
  return Object.fromEntries(rows) as Record<string, unknown[]>;
};

const askedOf = (dataDir: string): string[] => {
  const lake = openLakeForReading(dataDir);
  const requests = lake.sqlite
    .prepare('select distinct request from calls')
    .pluck()
    .all() as string[];
  lake.close();
  return requests.map((request) => request.replace(/^GET /, ''));
};

const bodyOf = async ({ service, key }: Served, path: string): Promise<string> =>
  (await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })).text();

const realistic = (into: Filler): void => {
  for (let i = 0; i < 240; i++) {
    const prefix = (['tt', 'ig', 'yt'] as const)[i % 3];
    const size = 1000 * (1 + ((i * 7919) % 503));
    into.video({
      id: `${prefix}_${i}`,
      title: i % 17 === 0 ? null : `📹 number ${i} "quoted" #tag${i % 9}`,
      user: i % 13 === 0 ? null : `maker ${i % 20}/ü`,
      createdAt: i % 11 === 0 ? null : hoursAgo(20 + i),
      tags: i % 5 === 0 ? [] : [`tag${i % 9}`, 'FYP'],
      extra: { durationSec: i, odd: i % 2 === 0 ? { likes: -1 } : {} },
      snapshots: [
        [hoursAgo(19 + (i % 5)), i % 7 === 0 ? null : size, 10],
        [hoursAgo(3 + (i % 3)), i % 19 === 0 ? null : 3 * size + i, i % 4 === 0 ? null : 30 + i],
      ],
    });
  }
  into.creator({
    platform: 'tiktok',
    handle: 'maker 3/ü',
    snapshots: [
      [hoursAgo(30), 10, 3, 5, 2],
      [hoursAgo(9), 12],
    ],
  });
};

test('a lake served, synced, served and synced again: equal lakes, equal responses', async () => {
  const first = folder();
  fillLake(first, realistic);
  const served = await serve(first);
  const second = await syncFrom(served);
  const mirrored = await serve(second);
  const third = await syncFrom(mirrored);
  const rows = rowsOf(second);
  expect(rows.rankings?.length).toBeGreaterThan(500);
  expect(rowsOf(third)).toEqual(rows);
  const asked = askedOf(second);
  expect(asked.length).toBeGreaterThan(100);
  for (const path of asked)
    expect(await bodyOf(mirrored, path), path).toBe(await bodyOf(served, path));
});
