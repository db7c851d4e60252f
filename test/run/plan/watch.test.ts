import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { addWatch } from '../../../src/lake/watches/watches.ts';
import type { RunSummary } from '../../../src/run/run/run-summary.ts';
import { type Filler, fillLake, hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { type Running, runService } from '../../serve/running.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { openTestLake } from '../../support/test-lake.ts';

// The job `watch` over real HTTP against our own service; service and pipeline share a virtual clock.

const fill = (into: Filler): void => {
  for (const prefix of ['tt', 'yt'])
    for (let n = 1; n <= 30; n++)
      into.video({
        id: `${prefix}_${n}`,
        user: `${prefix}maker${n % 5}`,
        title: n % 3 === 0 ? `street food ${n} #streetfood` : `clip ${n}`,
        snapshots: [
          [hoursAgo(20), 1000 * n],
          [hoursAgo(2), 5000 * n],
        ],
      });
};

/** A pipeline with an empty lake and its own key. */
const pipeline = async (env: Record<string, string> = {}) => {
  const running: Running = await runService(fill);
  const { clock, service } = running;
  const dataDir = freshDataDir();
  const settings = {
    TRENDLAKE_BASE_URL: service.url,
    TRENDLAKE_API_KEY: running.newKey(),
    TRENDLAKE_PLATFORMS: 'tiktok,youtube',
    ...env,
  };
  const command = async (...argv: string[]) => runCommand(argv, { dataDir, clock, env: settings });
  const json = async <T>(...argv: string[]): Promise<T> => {
    const { out, err, code } = await command(...argv, '--json');
    if (code !== 0 && code !== 3) throw new Error(err);
    return JSON.parse(out) as T;
  };
  const run = async (...jobs: string[]) =>
    json<RunSummary>('sync', '--no-export', '--jobs', jobs.join(','));
  const rows = <T>(sql: string): T[] => {
    const lake = openLakeForReading(dataDir);
    try {
      return lake.sqlite.prepare(sql).all() as T[];
    } finally {
      lake.close();
    }
  };
  return { running, clock, dataDir, command, json, run, rows };
};

interface Listed {
  id: string;
  kind: string;
  subject: string;
  callsPerMonth: number;
  lastAt: string | null;
  nextAt: string;
  pausedAt: string | null;
  pausedReason: string | null;
}

test('requests each due watch once, and the next time when it is due again', async () => {
  const { clock, json, run, rows } = await pipeline();
  await json('watch', 'add', '@ttmaker1', '--platform', 'tiktok', '--every', '6h');
  await json('watch', 'add', 'yt_7', '--every', '12h');
  await json('watch', 'add', 'street food', '--every', '1d');
  const first = await run('watch');
  expect(first).toMatchObject({ outcome: 'complete', calls: { sent: 3 } });
  expect((await run('watch')).calls.sent).toBe(0);
  const listed = await json<Listed[]>('watch', 'list');
  expect(listed.map(({ subject, lastAt }) => [subject, lastAt !== null])).toEqual([
    ['ttmaker1', true],
    ['yt_7', true],
    ['street food', true],
  ]);
  expect(
    rows<{ n: number }>("select count(*) as n from video_snapshots where source = 'search'")[0]?.n,
  ).toBe(20);
  const hits = rows<{ rank: number; video_id: string }>(
    'select rank, video_id from search_hits order by rank',
  );
  expect(hits.map(({ rank }) => rank)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  clock.advanceTo(clock.now() + 6 * HOUR_MS);
  expect((await run('watch')).calls.sent).toBe(1);
  clock.advanceTo(clock.now() + 6 * HOUR_MS);
  expect((await run('watch')).calls.sent).toBe(2);
});

test('a video that a list has just shown is not requested', async () => {
  const { json, run } = await pipeline();
  await json('watch', 'add', 'tt_30', '--every', '1d');
  const { calls } = await run('feed', 'watch');
  expect(calls.byJob).toMatchObject({ feed: { sent: 2 } });
  expect(calls.byJob.watch?.sent ?? 0).toBe(0);
  const [watch] = await json<Listed[]>('watch', 'list');
  expect(watch?.lastAt).not.toBeNull();
});

test('one call for a profile serves the videos that it shows', async () => {
  const { clock, json, run } = await pipeline();
  await json('watch', 'add', '@ttmaker1', '--platform', 'tiktok');
  expect((await run('watch')).calls.sent).toBe(1);
  await json('watch', 'add', 'tt_1');
  await json('watch', 'add', 'tt_6');
  expect((await run('watch')).calls.sent).toBe(0); // just shown
  clock.advanceTo(clock.now() + DAY_MS);
  expect((await run('watch')).calls.sent).toBe(1); // the profile will show both
});

test('never spends more than its share, and serves by due time', async () => {
  const { clock, json, run } = await pipeline({
    TRENDLAKE_CALLS_PER_MONTH: '600',
    TRENDLAKE_RATE_PER_MINUTE: '60',
    TRENDLAKE_WATCH_SHARE: '10',
    TRENDLAKE_PLATFORMS: 'youtube',
  });
  for (let n = 1; n <= 12; n++) await json('watch', 'add', `yt_${n}`, '--every', '1h');
  let spent = 0;
  for (let hour = 0; hour < 30; hour++) {
    spent += (await run('watch')).calls.sent;
    clock.advanceTo(clock.now() + HOUR_MS);
  }
  const monthStart = Date.UTC(2026, 2, 1);
  const elapsed = (clock.now() + DAY_MS - monthStart) / (31 * DAY_MS);
  expect(spent).toBeGreaterThan(12);
  expect(spent).toBeLessThanOrEqual(Math.floor(60 * Math.min(1, elapsed)));
  const lastAt = (await json<Listed[]>('watch', 'list')).map((each) =>
    Date.parse(each.lastAt ?? ''),
  );
  expect(lastAt.every((at) => at > 0)).toBe(true); // all were served before any was twice
});

test('a creator that the service does not have is paused with the reason', async () => {
  const { json, run } = await pipeline();
  await json('watch', 'add', '@nobody', '--platform', 'tiktok');
  await run('watch');
  const [watch] = await json<Listed[]>('watch', 'list');
  expect(watch?.pausedAt).not.toBeNull();
  expect(watch?.pausedReason).toMatch(/404/);
  expect((await run('watch')).calls.sent).toBe(0);
});

test('prints the price before it saves, and what all watches may take', async () => {
  const { running, command, json } = await pipeline({ TRENDLAKE_CALLS_PER_MONTH: '50000' });
  const { out } = await command(
    'watch',
    'add',
    '@ttmaker1',
    '--platform',
    'tiktok',
    '--every',
    '6h',
  );
  expect(out).toMatch(/^Price: 120 calls a month \(30 days\), 0\.2 % of the key's calls\./);
  expect(out).toMatch(/All watches together then need 120 of the 15,000 calls a month/);
  expect(out).toMatch(/Watching @ttmaker1 on tiktok as w_[0-9a-f]{12}, every 6h\.$/);
  const plan = await json<{ rest: { jobs: { job: string; calls: number }[] } }>('plan');
  const watch = plan.rest.jobs.find(({ job }) => job === 'watch');
  const days = (Date.UTC(2026, 3, 1) - running.clock.now()) / DAY_MS;
  expect(watch?.calls).toBeGreaterThan(4 * days * 0.95);
  expect(watch?.calls).toBeLessThan(4 * days * 1.05);
});

test('a subject that is followed already is priced once and keeps what is not stated', async () => {
  const { command, json } = await pipeline({ TRENDLAKE_CALLS_PER_MONTH: '50000' });
  const until = Date.UTC(2027, 0, 1);
  await command(
    'watch',
    'add',
    '@ttmaker1',
    '--platform',
    'tiktok',
    '--every',
    '6h',
    '--until',
    '2027-01-01',
  );
  const same = await command('watch', 'add', '@ttmaker1', '--platform', 'tiktok', '--tag', 'acme');
  expect(same.out).toMatch(
    /^Price: 120 calls a month .*; today 120 calls\. All watches together then need 120 of/,
  );
  expect(same.out).not.toContain('instead of');
  expect(same.out).toMatch(/every 6h, tags acme\.$/);
  const rarer = await command('watch', 'add', '@ttmaker1', '--platform', 'tiktok', '--every', '1d');
  expect(rarer.out).toMatch(
    /^Price: 30 calls a month .*; today 120 calls\. All watches together then need 30 of/,
  );
  const [watch] = await json<(Listed & { until: string })[]>('watch', 'list');
  expect(watch).toMatchObject({ everyMs: DAY_MS, until: new Date(until).toISOString() });
});

test('add, list, pause, resume, remove', async () => {
  const { json, command } = await pipeline();
  const added = await json<Listed & { tags: string[] }>(
    'watch',
    'add',
    '#StreetFood',
    '--tag',
    'ACME',
    '--tag',
    'spring',
    '--note',
    'for the pitch',
  );
  expect(added).toEqual({
    id: expect.stringMatching(/^w_[0-9a-f]{12}$/),
    kind: 'hashtag',
    platform: null,
    subject: 'streetfood',
    everyMs: DAY_MS,
    tags: ['acme', 'spring'],
    callsPerMonth: 60, // two pages of a search, daily
  });
  expect(await json('watch', 'list', '--tag', 'acme')).toHaveLength(1);
  expect(await json('watch', 'list', '--tag', 'other')).toEqual([]);
  const again = await json<Listed & { tags: string[] }>(
    'watch',
    'add',
    '#streetfood',
    '--tag',
    'more',
    '--every',
    '6h',
  );
  expect(again).toMatchObject({
    id: added.id,
    everyMs: 6 * HOUR_MS,
    tags: ['acme', 'more', 'spring'],
  });
  expect((await json<Listed>('watch', 'pause', added.id)).pausedAt).not.toBeNull();
  expect((await json<Listed>('watch', 'resume', added.id)).pausedAt).toBeNull();
  await json('watch', 'remove', added.id);
  expect(await json('watch', 'list')).toEqual([]);
  const { code, err } = await command('watch', 'remove', added.id);
  expect([code, err]).toEqual([2, expect.stringContaining(`No watch ${added.id} exists`)]);
});

test('a handle on several platforms needs its platform', async () => {
  const { json, command, run } = await pipeline();
  await run('feed');
  expect(await json<Listed>('watch', 'add', '@ttmaker1')).toMatchObject({ platform: 'tiktok' });
  const { code, err } = await command('watch', 'add', '@unknown');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('Add --platform tiktok|instagram|youtube'),
  ]);
});

test('import reads a file, reports invalid rows by line, and a dry run saves nothing', async () => {
  const { dataDir, json, command } = await pipeline();
  const file = join(dataDir, 'watches.csv');
  writeFileSync(
    file,
    'subject,platform,every,tags\n@ttmaker1,tiktok,6h,acme\n@nowhere,,,\nyt_3,,,acme;b\n',
  );
  await json('watch', 'add', 'tt_1'); // makes the lake
  const dry = await command('watch', 'import', file, '--dry-run');
  expect(dry.code).toBe(3);
  expect(dry.out).toMatch(/^2 of 3 rows are valid, for 150 calls a month\. Nothing was saved/);
  expect(dry.err).toMatch(/line 3: @nowhere is not in the lake/);
  expect(await json('watch', 'list')).toHaveLength(1);
  const saved = await json<{ watches: unknown[]; problems: unknown[] }>('watch', 'import', file);
  expect([saved.watches.length, saved.problems.length]).toEqual([2, 1]);
  expect(await json('watch', 'list', '--tag', 'acme')).toHaveLength(2);
});

test('tagged_videos has the videos of a tag by id, creator, hashtag and search', async () => {
  const { json, run, rows } = await pipeline();
  await run('feed');
  await json('watch', 'add', 'tt_2', '--tag', 'id');
  await json('watch', 'add', '@ytmaker1', '--platform', 'youtube', '--tag', 'creator');
  await json('watch', 'add', '#streetfood', '--platform', 'tiktok', '--tag', 'hashtag');
  await json('watch', 'add', 'street food 30', '--tag', 'search');
  await run('watch');
  const tagged = rows<{ tag: string; n: number; platforms: string }>(
    `select t.tag, count(*) as n, group_concat(distinct v.platform) as platforms
     from tagged_videos t join videos v on v.id = t.video_id group by t.tag order by t.tag`,
  );
  expect(tagged).toEqual([
    { tag: 'creator', n: 6, platforms: 'youtube' },
    { tag: 'hashtag', n: 10, platforms: 'tiktok' },
    { tag: 'id', n: 1, platforms: 'tiktok' },
    { tag: 'search', n: 2, platforms: expect.any(String) },
  ]);
});

test('list_entries has what a list shows and the pull before did not', async () => {
  const { running, clock, run, rows } = await pipeline({
    TRENDLAKE_LIST_ITEMS: '5',
    TRENDLAKE_PLATFORMS: 'tiktok',
  });
  await run('feed');
  expect(rows('select * from list_entries')).toEqual([]);
  const before = rows<{ id: string }>('select id from feed_now').map(({ id }) => id);
  clock.advanceTo(clock.now() + HOUR_MS);
  fillLake(running.dataDir, (into) =>
    into.video({ id: 'tt_99', user: 'new', snapshots: [[clock.now() - HOUR_MS, 900_000]] }),
  );
  await run('feed');
  const after = rows<{ id: string }>('select id from feed_now').map(({ id }) => id);
  const entered = rows<{ video_id: string }>('select video_id from list_entries').map(
    (each) => each.video_id,
  );
  expect(entered.toSorted()).toEqual(after.filter((id) => !before.includes(id)).toSorted());
});

test('status names late watches and why', async () => {
  const { clock, json, command, run } = await pipeline();
  await json('watch', 'add', '@ttmaker1', '--platform', 'tiktok', '--every', '1h');
  await run('watch');
  expect(await json<{ watches: unknown }>('status')).toMatchObject({
    watches: { active: 1, late: [] },
  });
  clock.advanceTo(clock.now() + 6 * HOUR_MS);
  const { out } = await command('status');
  expect(out).toMatch(/1 active, 1 late/);
  expect(out).toMatch(/@ttmaker1, due .* ago.*: the job watch has not run since/);
});

test('an event carries the tags of watches on its subject, and lists filter by them', async () => {
  const { running } = await pipeline();
  fillLake(running.dataDir, (into) => {
    into.video({ id: 'tt_50', user: 'ttmaker1', title: 'a rise', snapshots: [[hoursAgo(1), 10]] });
  });
  const lake = openTestLake(running.dataDir);
  try {
    const watch = { everyMs: DAY_MS, note: null, until: null };
    const of = { kind: 'creator', platform: 'tiktok', subject: 'ttmaker1' } as const;
    addWatch(lake, { ...of, ...watch, tags: ['acme'] }, NOW);
    const event = (id: string, subject: string) => ({
      id,
      kind: 'trend.spike' as const,
      platform: 'tiktok' as const,
      subject,
      occurredAt: hoursAgo(1),
      origin: 'trendlake' as const,
      data: { id },
    });
    const events = [event('evt_1', 'video:tt_50'), event('evt_2', 'video:tt_2')];
    storeEvents(lake, events, { now: NOW });
  } finally {
    lake.close();
  }
  const { body } = await running.get('/events?tag=Acme');
  expect(body).toMatchObject({ total: 1, items: [{ id: 'evt_1', data: { tags: ['acme'] } }] });
  const { out } = await runCommand(['events', '--tag', 'acme', '--json'], {
    dataDir: running.dataDir,
    clock: running.clock,
  });
  expect(JSON.parse(out)).toMatchObject([{ id: 'evt_1' }]);
});

test('calls_by_platform has the calls and new videos of each platform and job', async () => {
  const { json, run, rows } = await pipeline();
  await json('watch', 'add', '@ttmaker1', '--platform', 'tiktok');
  await run('feed', 'watch');
  expect(
    rows('select platform, job, calls, new_videos from calls_by_platform order by 2, 1'),
  ).toEqual([
    { platform: 'tiktok', job: 'feed', calls: 1, new_videos: 30 },
    { platform: 'youtube', job: 'feed', calls: 1, new_videos: 30 },
    { platform: 'tiktok', job: 'watch', calls: 1, new_videos: 0 },
  ]);
});
