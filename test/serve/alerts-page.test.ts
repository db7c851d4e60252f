import { beforeAll, expect, test } from 'vitest';
import { saveAlert, saveFailure } from '../../src/alerts/rules/alert-store.ts';
import { evaluateAlerts } from '../../src/alerts/rules/evaluate.ts';
import { openLake } from '../../src/lake/open.ts';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService((into) => {
    into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 1000]] });
  });
  const lake = openLake(running.dataDir, { report: () => {} });
  const rest = { targets: ['https://hooks.slack.com/services/secret-1'], cooldownMs: 86_400_000 };
  saveAlert(lake, { name: 'viral', sql: 'select <b>', ...rest }, hoursAgo(3));
  const rows = new Map([
    ['tt_1', { subject: 'tt_1', title: '<i>one</i>', value: 1234 }],
    ['x', { subject: 'x', url: 'https://example.com/x' }],
    ['y', { subject: 'y', url: 'javascript:alert(1)' }],
  ]);
  const world = { now: hoursAgo(1), notify: undefined, warn: () => {} };
  await evaluateAlerts(lake, { run: async () => rows, ...world });
  saveAlert(lake, { name: 'broken', sql: 'selec', ...rest }, hoursAgo(3));
  saveFailure(lake, 'broken', 'no such table');
  lake.close();
});

const page = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, running.service.dashboard), { headers });

test('shows alerts with their state, and the rows that fired', async () => {
  const text = await (await page('/alerts')).text();
  expect(text).toMatch(/broken<\/a>.*fails<\/span> <span class="soft small">no such table/s);
  expect(text).toContain('select &lt;b&gt;');
  expect(text).toMatch(
    /href="\/videos\/tt_1">&lt;i&gt;one&lt;\/i&gt;<\/a><\/td><td class="n">1,234/,
  );
  expect(text).toContain('href="https://example.com/x"');
  expect(text).not.toMatch(/javascript:|secret-1/);
  const one = await (await page('/alerts?name=broken')).text();
  expect(one).toContain('No row has fired yet');
  expect(one).toContain('all alerts');
});

test('a key sees no SQL, and queries cannot read the table', async () => {
  // a proxy before the service: the reader is not on this machine
  const asKey = { authorization: `Bearer ${running.newKey()}`, via: '1.1 proxy' };
  expect((await page('/alerts', { via: '1.1 proxy' })).status).toBe(401);
  const text = await (await page('/alerts', asKey)).text();
  expect(text).toContain('viral');
  expect(text).not.toMatch(/select &lt;b&gt;|no such table|secret-1/);
  const sql = new URLSearchParams({ sql: 'select targets from alerts' });
  expect(await (await page(`/query?${sql}`, asKey)).text()).toContain(
    'alerts is not open to queries',
  );
});
