import { expect, test } from 'vitest';
import type { AlertMessage, NoticeMessage } from '../../../src/alerts/notify/message.ts';
import { statementRunner } from '../../../src/alerts/rules/alert-rows.ts';
import { newestHits, requireAlert, saveAlert } from '../../../src/alerts/rules/alert-store.ts';
import { evaluateAlerts, firedRows } from '../../../src/alerts/rules/evaluate.ts';
import { replayNights } from '../../../src/alerts/rules/replay-nights.ts';
import { sendHits } from '../../../src/alerts/rules/send-hits.ts';
import { ALERT_TEMPLATES, templateSql } from '../../../src/alerts/rules/templates.ts';
import { systemClock, virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { openLake } from '../../../src/lake/open.ts';
import { fillLake, hoursAgo, NOW } from '../../serve/filled-lake.ts';
import { runService } from '../../serve/running.ts';
import { freshDataDir, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { madeEndpoint } from '../webhooks/made-endpoint.ts';

const { signal } = new AbortController();
const surroundings = { env: process.env, clock: systemClock, signal };

const rowsOf = (...subjects: string[]) => new Map(subjects.map((one) => [one, { subject: one }]));

/** Subjects that fire each night, where `nights` are the rows of each. */
const firedEachNight = (nights: string[][], cooldownMs: number): string[][] => {
  const lastSeen = new Map<string, number>();
  return nights.map((subjects, n) => {
    const at = n * DAY_MS;
    const seen = { evaluatedAt: n === 0 ? null : at - DAY_MS, lastSeen };
    const fired = firedRows({ name: 'a', cooldownMs }, rowsOf(...subjects), seen, at);
    for (const subject of subjects) lastSeen.set(subject, at);
    return fired.map(({ subject }) => subject);
  });
};

test('a row fires once until it was away for the cool-down', () => {
  const nights = [['a'], ['a', 'b'], ['a'], [], ['a', 'b'], [], [], [], ['a']];
  expect(firedEachNight(nights, DAY_MS)).toEqual([
    ['a'],
    ['b'],
    [],
    [],
    ['a', 'b'],
    [],
    [],
    [],
    ['a'],
  ]);
  expect(firedEachNight(nights, 4 * DAY_MS).map((fired) => fired.join(''))).toEqual([
    'a',
    'b',
    '',
    '',
    '',
    '',
    '',
    '',
    'a',
  ]);
});

test('each template runs over a lake and refuses parameters that do not fit', async () => {
  const dataDir = freshDataDir();
  fillLake(dataDir, (into) => {
    into.video({
      id: 'tt_1',
      user: 'maker',
      snapshots: [
        [hoursAgo(30), 900],
        [hoursAgo(1), 2000],
      ],
    });
    into.video({
      id: 'tt_2',
      user: 'maker',
      snapshots: [
        [hoursAgo(30), 1500],
        [hoursAgo(1), 1600],
      ],
    });
  });
  const run = statementRunner(dataDir, surroundings);
  for (const name of Object.keys(ALERT_TEMPLATES)) {
    const given = name === 'overtakes' ? ["handle=ma'ker", 'platform=tiktok'] : [];
    expect(await run(templateSql(name, given))).toBeInstanceOf(Map);
  }
  expect([...(await run(templateSql('passes-views', ['views=1000']))).keys()]).toEqual(['tt_1']);
  expect([...(await run(templateSql('grows-views', ['gain=1000']))).entries()]).toEqual([
    ['tt_1', expect.objectContaining({ value: 1100, views: 2000 })],
  ]);
  expect(() => templateSql('overtakes', [])).toThrow('needs --set handle=VALUE');
  expect(() => templateSql('passes-views', ['views=many'])).toThrow('must be a number');
  expect(() => templateSql('passes-views', ['vues=1'])).toThrow('NAME is views or platform');
  expect(() => templateSql('toString', [])).toThrow('No template is called');
});

test('statements are bounded in time and rows and need a subject', async () => {
  const dataDir = freshDataDir();
  fillLake(dataDir, () => {});
  const run = statementRunner(dataDir, surroundings, 2000);
  const endless =
    'with recursive n(subject) as (select 1 union all select subject + 1 from n) select subject from n';
  await expect(run(`${endless} limit 1000`)).resolves.toHaveProperty('size', 1000);
  await expect(run(endless)).rejects.toThrow('more than 1000 rows');
  await expect(run(`${endless} where subject < 0`)).rejects.toThrow('took longer than 2 s');
  await expect(run('select 1 as a')).rejects.toThrow('no column "subject". It has a.');
  await expect(run('select 1 as a where 0')).rejects.toThrow('no column "subject"');
  await expect(run('select null as subject')).rejects.toThrow('null in a row');
});

test('fired rows go once to each target, and again to one that failed', async () => {
  const lake = freshLake();
  const good = await madeEndpoint();
  let status = 500;
  const bad = await madeEndpoint((response) => response.writeHead(status).end());
  const targets = [good.url, bad.url];
  const cooldownMs = DAY_MS;
  saveAlert(lake, { name: 'a', sql: '', targets, cooldownMs }, 0);
  saveAlert(lake, { name: 'own', sql: '', targets: [], cooldownMs }, 0);
  const clock = virtualClock(HOUR_MS);
  const rows = new Map([
    ['v1', { subject: 'v1', title: 'one\nline', value: 5, url: 'javascript:x' }],
    ['v2', { subject: 'v2', url: 'https://example.com/' }],
  ]);
  const warn = (): never => expect.unreachable();
  expect(
    await evaluateAlerts(lake, { run: async () => rows, now: clock.now(), notify: good.url, warn }),
  ).toBe(4);
  const deps = { clock, env: process.env, signal };
  expect(await sendHits(lake, undefined, deps)).toEqual([expect.stringMatching(/^a: .*500/)]);
  status = 204;
  expect(await sendHits(lake, good.url, deps)).toEqual([]);
  expect([good.received.length, bad.received.length]).toEqual([1, 2]);
  expect((JSON.parse(good.received[0]?.body ?? '') as AlertMessage).data).toMatchObject({
    alert: 'a',
    hits: [
      { subject: 'v1', title: 'one line', value: 5, url: null, row: { title: 'one\nline' } },
      { subject: 'v2', title: null, value: null, url: 'https://example.com/' },
    ],
  });
  expect(good.received[0]?.headers['webhook-signature']).toMatch(/^v1,/);
});

test('a replay fires the rows that fired at the time', async () => {
  const lake = freshLake();
  const addRun = lake.sqlite.prepare(
    `insert into runs (started_at, finished_at, outcome, heartbeat_at, jobs)
     values (?, ?, ?, ?, '[]')`,
  );
  const isThere = (subject: number, night: number): boolean => (night * subject) % 7 < 3;
  const alert = { name: 'a', sql: 'q', targets: [], cooldownMs: 3 * DAY_MS };
  saveAlert(lake, alert, 0);
  const at = (night: number): number => night * DAY_MS + HOUR_MS;
  const rowsOfNight = (night: number) =>
    rowsOf(...[1, 2, 3, 4, 5].filter((one) => isThere(one, night)).map(String));
  for (let night = 1; night <= 30; night++) {
    const outcome = night % 11 === 0 ? 'partial' : 'complete';
    addRun.run(night * DAY_MS, at(night), outcome, at(night));
    if (outcome !== 'complete') continue;
    const run = async () => rowsOfNight(night);
    await evaluateAlerts(lake, { run, now: at(night), notify: undefined, warn: () => {} });
  }
  const asked: number[] = [];
  const nights = await replayNights(lake, alert, {
    since: 0,
    now: at(30),
    run: async (_, asOf = 0) => {
      asked.push(asOf);
      return rowsOfNight(Math.floor(asOf / DAY_MS));
    },
  });
  const fired = nights.flatMap((night) => night.fired.map((hit) => `${hit.at} ${hit.subject}`));
  const live = newestHits(lake, { name: 'a', limit: 1000 }).map(
    (hit) => `${hit.at} ${hit.subject}`,
  );
  expect(fired.sort()).toEqual(live.sort());
  expect(fired.length).toBeGreaterThan(20);
  expect(asked[0]).toBe(at(1) + HOUR_MS);
});

test('alerts are evaluated after a complete run, and a failure is sent once', async () => {
  const { service, clock, newKey } = await runService((into) => {
    for (let n = 1; n <= 12; n++)
      into.video({ id: `tt_${n}`, title: `clip ${n}`, snapshots: [[hoursAgo(2), 1000 * n]] });
  });
  const dataDir = freshDataDir();
  const alerts = await madeEndpoint();
  const notices = await madeEndpoint();
  const env = {
    TRENDLAKE_BASE_URL: service.url,
    TRENDLAKE_API_KEY: newKey(),
    TRENDLAKE_PLATFORMS: 'tiktok',
    TRENDLAKE_NOTIFY: notices.url,
  };
  const command = (...argv: string[]) => runCommand(argv, { dataDir, clock, env });
  const sync = () => command('sync', '--no-export', '--jobs', 'feed', '--json');
  const top = 'select id as subject, title, views as value from videos where views > 8000';
  await sync();
  const added = await command('alerts', 'add', 'top', '--sql', top, '--to', alerts.url);
  expect(added.out).toContain('It has 4 rows now');
  await sync();
  await sync();
  expect(
    alerts.received.map(({ body }) => (JSON.parse(body) as AlertMessage).data.hits.length),
  ).toEqual([4]);
  const refused = await command('alerts', 'add', 'bad', '--sql', 'select id from videos');
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('no column "subject"') });
  const lake = openLake(dataDir, { report: () => {} });
  saveAlert(lake, { name: 'bad', sql: 'select x as subject', targets: [], cooldownMs: 1 }, NOW);
  const warned = [(await sync()).err, (await sync()).err];
  expect(warned[0]).toContain('The alert "bad" cannot be evaluated');
  expect(warned[1]).not.toContain('cannot be evaluated');
  expect(requireAlert(lake, 'bad').failure).toContain('no such column: x');
  lake.close();
  const sent = () =>
    notices.received
      .flatMap(({ body }) => (JSON.parse(body) as NoticeMessage).data.notices)
      .filter(({ kind }) => kind === 'alert')
      .map(({ subject, state }) => `${subject} ${state}`);
  expect(sent()).toEqual(['bad began']);
  await command('alerts', 'remove', 'bad');
  await sync();
  expect(sent()).toEqual(['bad began', 'bad over']);
  const replayed = await command('alerts', 'test', 'top', '--since', '7d', '--send', '--json');
  expect(replayed.err).toContain(`Sent to ${new URL(alerts.url).origin}.`);
  expect(JSON.parse(replayed.out)).toMatchObject({ name: 'top', nights: 6, fired: { length: 4 } });
  expect((await command('alerts', 'test', 'top')).out).toContain('4 rows in 1 of 6 nights.');
  const listed = JSON.parse((await command('alerts', 'list', '--json')).out) as object[];
  expect(listed).toMatchObject([
    { name: 'top', failure: null, targets: [new URL(alerts.url).origin] },
  ]);
});
