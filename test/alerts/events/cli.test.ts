import { expect, test } from 'vitest';
import { noticeEvents } from '../../../src/alerts/events/notice.ts';
import { readThresholds } from '../../../src/alerts/events/thresholds.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { commandText } from '../../../src/base/installation.ts';
import { overviewText } from '../../../src/cli/text/demo-text.ts';
import { overview } from '../../../src/run/maintenance/overview.ts';
import { runCommand } from '../../support/run-command.ts';
import { freshLake, putVideo } from './made-lake.ts';

const T0 = Date.UTC(2026, 2, 1);

const cli = (dataDir: string, now: number, ...argv: string[]) =>
  runCommand(argv, { dataDir, clock: virtualClock(now) });

test('events lists what was noticed, and tries the rules over any span without storing', async () => {
  const lake = freshLake();
  const snapshots = [0, 1, 2, 3, 4].map(
    (day) => [T0 + day * DAY_MS, 100_000 + day * 5_000 + (day === 4 ? 900_000 : 0)] as const,
  );
  putVideo(lake, { id: 'tt_1', user: 'maker', createdAt: T0 - DAY_MS, snapshots });
  const now = T0 + 4 * DAY_MS + HOUR_MS;
  const span = ['--from', '2026-03-04', '--to', '2026-03-06'];
  const dry = await cli(lake.dataDir, now, 'events', '--dry-run', ...span, '--json');
  expect(JSON.parse(dry.out)).toMatchObject([
    { kind: 'trend.spike', subject: 'video:tt_1', detectedAt: null },
  ]);
  expect(JSON.parse((await cli(lake.dataDir, now, 'events', '--json')).out)).toEqual([]);
  noticeEvents(lake, { clock: virtualClock(now) });
  const listed = JSON.parse(
    (await cli(lake.dataDir, now, 'events', '--since', '24h', '--json')).out,
  );
  expect(listed).toMatchObject([
    { id: JSON.parse(dry.out)[0].id, detectedAt: '2026-03-05T01:00:00.000Z' },
  ]);
  expect((await cli(lake.dataDir, now, 'events')).out).toMatch(
    / a video by maker \(tt_1\) [\s\S]*1 event$/,
  );
  lake.sqlite.prepare("update video set title = 'Moss' where id = 'tt_1'").run();
  expect((await cli(lake.dataDir, now, 'events')).out).toContain('maker, “Moss”');
  expect((await cli(lake.dataDir, now, 'status')).out).toContain('Spike: maker, “Moss”');
  expect(overviewText(overview(lake))).toContain('  2026-03-05  Spike: maker, “Moss”');
  expect((await cli(lake.dataDir, now + 30 * DAY_MS, 'events')).out).toBe(
    `0 events since 2026-03-28; 1 before: ${commandText('events --since 2026-03-05')}`,
  );
});

test('of many events the table has the last, and JSON all of them, one at a time', async () => {
  const { dataDir, sqlite } = freshLake();
  const insert = sqlite.prepare(
    `insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data)
     values (?, 'trend.spike', 'tiktok', ?, ?, ?, 'trendlake', ?)`,
  );
  const data = JSON.stringify({ evidence: { title: 'two\u2028lines\nand [more], "quoted"' } });
  for (let n = 0; n < 201; n += 1) insert.run(`evt_${n}`, `video:tt_${n}`, T0 + n, T0 + n, data);
  const table = (await cli(dataDir, T0 + DAY_MS, 'events')).out;
  expect(table).toMatch(/200 of 201 events; --json lists all$/);
  expect([table.includes(' tt_0 '), table.includes(' tt_200 ')]).toEqual([false, true]);
  const lines: string[] = [];
  const argv = ['events', '--json'];
  const onOut = (line: string) => void lines.push(line);
  await runCommand(argv, { dataDir, clock: virtualClock(T0 + DAY_MS), onOut });
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1000);
  const told: unknown[] = JSON.parse(lines.join('\n'));
  expect(told).toHaveLength(201);
  expect(told[200]).toMatchObject({ id: 'evt_200', data: JSON.parse(data) });
  expect(lines.join('\n')).toBe(JSON.stringify(told, null, 2));
});

test.each([
  [['webhooks', 'list'], /^No subscriptions yet: .*trendlake -- webhooks add URL$/],
  [['webhooks', 'deliveries'], /^No deliveries\.$/],
  [['keys', 'list'], /^No keys yet: .*trendlake -- keys create /],
])('%j says that there is nothing', async (argv, sentence) => {
  expect((await cli(freshLake().dataDir, T0, ...argv)).out).toMatch(sentence);
});

test.each([
  [['events', '--since', 'yesterday'], /--since must be an ISO 8601 instant/],
  [['events', '--from', '2026-03-01'], /belong to --dry-run/],
  [['webhooks', 'add', 'https://10.0.0.1/'], /public address/],
  [['webhooks', 'add', 'https://example.com/', '--events', 'trend.spikes'], /events may hold/],
  [['webhooks', 'remove', 'sub_none'], /no subscription sub_none/],
  [['webhooks', 'redeliver', 'evt_none'], /no delivery evt_none/],
  [['webhooks', 'deliveries', '--limit', '0'], /--limit must be/],
])('%j is refused with 2 and a reason', async (argv, reason) => {
  const { code, err } = await cli(freshLake().dataDir, T0, ...argv);
  expect([code, err]).toEqual([2, expect.stringMatching(reason)]);
});

test('webhooks add prints id and secret once; list never does', async () => {
  const { dataDir } = freshLake();
  const added = await cli(
    dataDir,
    T0,
    'webhooks',
    'add',
    'https://example.com/',
    '--subjects',
    '@maker,#mossy',
    '--json',
  );
  const { id, secret, ...rest } = JSON.parse(added.out);
  expect([added.code, rest]).toEqual([0, {}]);
  const { out } = await cli(dataDir, T0, 'webhooks', 'list', '--json');
  expect(JSON.parse(out)).toMatchObject([{ id, filter: { subjects: ['maker', 'mossy'] } }]);
  expect(out).not.toContain(secret);
  expect((await cli(dataDir, T0, 'webhooks', 'rotate', id)).out).toContain('whsec_');
  expect((await cli(dataDir, T0, 'webhooks', 'remove', id)).code).toBe(0);
  expect(JSON.parse((await cli(dataDir, T0, 'webhooks', 'list', '--json')).out)).toEqual([]);
});

test('thresholds are read over the shipped ones', () => {
  const read = readThresholds('{"tiktok": {"spike": {"minGain": 5}}}');
  expect(read.tiktok.spike).toMatchObject({ minGain: 5, minRatio: 2 });
  expect(read.youtube.spike.minGain).toBe(2000);
  for (const [text, reason] of [
    ['{', /must be JSON/],
    ['[]', /must be an object/],
    ['{"vine": {}}', /unknown field vine/],
    [
      '{"tiktok": {"spike": {"minGain": "5"}}}',
      /tiktok.spike.minGain of TRENDLAKE_EVENT_THRESHOLDS must be a number/,
    ],
    ['{"tiktok": {"spike": {"minGains": 5}}}', /unknown field tiktok.spike.minGains/],
    ['{"constructor": 1}', /unknown field constructor/],
    ['{"tiktok": {"__proto__": {}}}', /unknown field tiktok.__proto__/],
  ] as const)
    expect(() => readThresholds(text)).toThrow(reason);
});
