import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import reportJob from '../../../jobs/report.ts';
import type { ReportMessage } from '../../../src/alerts/notify/message.ts';
import { linePng } from '../../../src/alerts/report/png.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { readConfig } from '../../../src/base/config/config.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { openLake } from '../../../src/lake/open.ts';
import { addWatch } from '../../../src/lake/watches/watches.ts';
import { fillLake } from '../../serve/filled-lake.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { chatProblems } from '../webhooks/chat-receivers.ts';
import { madeEndpoint } from '../webhooks/made-endpoint.ts';
import { mailServer } from './mail-server.ts';

const MONDAY = Date.UTC(2026, 10, 9); // the first instant of 2026-W46
const at = (days: number): number => MONDAY + days * DAY_MS;
const NOW = at(7) + 7 * HOUR_MS;

const madeLake = (): string => {
  const dataDir = freshDataDir();
  fillLake(dataDir, (into) => {
    for (let n = 1; n <= 3; n++)
      into.video({
        id: `tt_${n}`,
        title: `<b>rose ${n}</b> & "shone"`,
        user: n === 3 ? 'bea' : 'ada',
        snapshots: [
          [at(0), 1000],
          [at(2), 1000 + 5000 * n],
          [at(6), 1000 + 10_000 * n],
          [at(6.9), 1000 + 20_000 * n],
        ],
      });
  });
  const lake = openLake(dataDir, { report: () => {} });
  const watch = { kind: 'creator', platform: 'tiktok', everyMs: DAY_MS, note: null } as const;
  addWatch(lake, { ...watch, subject: 'ada', tags: ['acme'], until: null }, at(-2));
  lake.close();
  return dataDir;
};

test('a report is sent as a mail that shows everywhere', async () => {
  const dataDir = madeLake();
  const { target, mails } = await mailServer();
  const clock = virtualClock(NOW);
  const env = { TRENDLAKE_PUBLIC_URL: 'https://trends.example' };
  const { out, code } = await runCommand(['report', '--send', '--to', target], {
    dataDir,
    clock,
    env,
  });
  expect([code, out]).toEqual([0, '1 report of 2026-W46 sent.']);
  const [mail] = await mails();
  expect(mail?.subject).toBe(
    'trendlake: Week 2026-W46: “<b>rose 3</b> & "shone"” gained 60K views',
  );
  expect(mail?.to?.[0]?.address).toBe('team@example.com');
  expect(mail?.text).toContain('<b>rose 3</b> & "shone": +60,000 views, now 61,000');
  const page = mail?.html ?? '';
  expect(page).toContain('&lt;b&gt;rose 3&lt;/b&gt; &amp; &quot;shone&quot;');
  expect(page).toContain('href="https://trends.example/videos/tt_3"');
  expect(page).not.toMatch(
    /<style|<svg|<script|<link|class=|url\(|display:\s*(flex|grid)|src="http/,
  );
  const images = mail?.attachments.filter(({ mimeType }) => mimeType === 'image/png') ?? [];
  const shown = [...page.matchAll(/src="cid:([^"]+)"/g)].map(([, cid]) => `<${cid}>`);
  expect(shown).toEqual(images.map(({ contentId }) => contentId));
  expect(images).toHaveLength(3);
  const file = mail?.attachments.find(({ filename }) => filename === 'report-2026-W46.html');
  expect(Buffer.from(file?.content as ArrayBuffer).toString('utf8')).toContain('<h1>Week 2026-W46');
});

test('an image of a line is a PNG that any reader takes', () => {
  const png = linePng({
    width: 20,
    height: 10,
    points: [
      [0, 9],
      [20, 1],
    ],
  });
  expect(png.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([20, 10]);
  const begin = png.indexOf('IDAT');
  const rows = inflateSync(png.subarray(begin + 4, begin + 4 + png.readUInt32BE(begin - 4)));
  expect(rows).toHaveLength(10 * 21);
  const shade = (x: number, y: number) => rows[y * 21 + 1 + x] ?? 0;
  expect(shade(1, 8)).toBeGreaterThan(150);
  expect([shade(1, 1), shade(19, 8)]).toEqual([0, 0]);
});

test('the job sends each report once to each target, and again to one that failed', async () => {
  const dataDir = madeLake();
  const good = await madeEndpoint();
  let isDown = true;
  const bad = await madeEndpoint((response) => response.writeHead(isDown ? 500 : 200).end());
  const report = {
    schedule: '0 7 * * 1',
    to: [good.url, `slack+${bad.url}`],
    tags: ['acme', 'none'],
  };
  const config = readConfig({
    env: { TRENDLAKE_DATA_DIR: dataDir, TRENDLAKE_REPORT: JSON.stringify(report) },
    cwd: dataDir,
  });
  expect(config.schedules.report).toBe('0 7 * * 1');
  const lake = openLake(dataDir, { report: () => {} });
  const { signal } = new AbortController();
  const clock = virtualClock(NOW);
  const context = { lake, config, clock, random: () => 0, env: process.env, signal };
  const run = () => reportJob.run(context);
  await expect(run()).rejects.toThrow(/2 reports of 2026-W46 could not be sent: .*500.*retries/);
  isDown = false;
  expect(await run()).toEqual({ did: '2 reports of 2026-W46 sent' });
  expect(await run()).toEqual({ did: '0 reports of 2026-W46 sent' });
  expect([good.received.length, bad.received.length]).toEqual([2, 4]);
  expect(chatProblems('slack', bad.received.at(-1)?.body ?? '')).toEqual([]);
  const [acme, none] = good.received.map(({ body }) => (JSON.parse(body) as ReportMessage).data);
  expect(acme).toMatchObject({ tag: 'acme', period: '2026-W46', videos: 3 });
  expect(acme?.risers.map(({ id, gained }) => [id, gained])).toEqual([
    ['tt_2', 40_000],
    ['tt_1', 20_000],
  ]);
  expect(none?.risers).toEqual([]);
  clock.advanceTo(NOW + 7 * DAY_MS);
  expect(await run()).toEqual({ did: '4 reports of 2026-W47 sent' });
  lake.close();
});

test('a daily schedule reports the last day', async () => {
  const dataDir = madeLake();
  const { url, received } = await madeEndpoint();
  const report = JSON.stringify({ schedule: '0 7 * * *', to: [url] });
  const env = { TRENDLAKE_DATA_DIR: dataDir, TRENDLAKE_REPORT: report };
  const lake = openLake(dataDir, { report: () => {} });
  const { signal } = new AbortController();
  await reportJob.run({
    lake,
    config: readConfig({ env, cwd: dataDir }),
    clock: virtualClock(NOW),
    random: () => 0,
    env: process.env,
    signal,
  });
  lake.close();
  const { data } = JSON.parse(received[0]?.body ?? '') as ReportMessage;
  expect(data).toMatchObject({ period: '2026-11-15', snapshots: 6 });
  expect(data.headline).toContain('Day 2026-11-15: “<b>rose 3</b> & "shone"” gained 30K views');
});

test('wrong settings and options are refused without their secrets', async () => {
  const dataDir = freshDataDir();
  const clock = virtualClock(NOW);
  const run = (argv: string[], env: Record<string, string> = {}) =>
    runCommand(argv, { dataDir, clock, env });
  for (const bad of [
    '{}',
    '[1]',
    '{"to": []}',
    '{"to": ["smtps://u:pw-1@h/"]}',
    '{"to": ["x"], "too": 1}',
  ]) {
    const { code, err } = await run(['status'], { TRENDLAKE_REPORT: bad });
    expect([bad, code]).toEqual([bad, 2]);
    expect(err).not.toContain('pw-1');
  }
  expect(await run(['report', '--send'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('No target'),
  });
  expect(await run(['report', '--to', 'https://x.example'])).toMatchObject({ code: 2 });
  const refused = await run(['report', '--send', '--to', 'smtps://u:pw-2@h/']);
  expect(refused).toMatchObject({ code: 2, err: expect.not.stringContaining('pw-2') });
});
