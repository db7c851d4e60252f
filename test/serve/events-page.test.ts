import { beforeAll, expect, test } from 'vitest';
import { listKeys } from '../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { openLake } from '../../src/lake/open.ts';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

const EVENTS = [
  { id: 'evt_1', kind: 'trend.spike', platform: 'tiktok', subject: 'video:tt_1', hours: 30 },
  { id: 'evt_2', kind: 'hashtag.rising', platform: null, subject: 'hashtag:<b>', hours: 3 },
] as const;
const EVIDENCE = { measure: 'volume', volume: 900, usual: 300, ratio: 2.9, snapshots: 9 };

/** Events, a subscription of each of these keys (null: the command line), and a delivery to each. */
const fill = (dataDir: string, owners: readonly (string | null)[]): void => {
  const { sqlite, close } = ((lake) => ({ sqlite: lake.sqlite, close: () => lake.close() }))(
    openLake(dataDir),
  );
  const event = sqlite.prepare(
    "insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data) values (?, ?, ?, ?, ?, ?, 'trendlake', ?)",
  );
  for (const { id, kind, platform, subject, hours } of EVENTS)
    event.run(
      id,
      kind,
      platform,
      subject,
      hoursAgo(hours),
      hoursAgo(hours),
      JSON.stringify({ id, evidence: EVIDENCE }),
    );
  for (const [i, owner] of owners.entries()) {
    sqlite
      .prepare(
        "insert into subscriptions (id, url, secret, filter, allow_loopback_http, key_id, created_at) values (?, ?, '', '{}', 0, ?, 1)",
      )
      .run(`sub_${i}`, `https://hook${i}.example/secret-path`, owner);
    sqlite
      .prepare(
        `insert into deliveries (id, event_id, subscription_id, state, queued_at, attempts, delivered_at, last_error)
         values (?, 'evt_2', ?, ?, ?, 2, ?, ?)`,
      )
      .run(
        `evt_2.sub_${i}`,
        `sub_${i}`,
        i === 0 ? 'delivered' : 'failed',
        hoursAgo(3),
        i === 0 ? hoursAgo(1) : null,
        i === 0 ? null : 'HTTP 500',
      );
  }
  close();
};
const keyIdOf = ({ dataDir }: Running): string => {
  const db = openServiceDb(dataDir);
  const [key] = listKeys(db);
  db.close();
  return key?.id ?? '';
};
const pageOf = async (of: Running, path: string, headers: Record<string, string> = {}) =>
  (
    await fetch(new URL(path, of.service.dashboard.replace('0.0.0.0', '127.0.0.1')), { headers })
  ).text();

let local: Running;
beforeAll(async () => {
  local = await runService(() => undefined);
  fill(local.dataDir, [null, 'somebody']);
});

test('shows subject, reason and deliveries, without secret parts of addresses', async () => {
  const page = await pageOf(local, '/events');
  expect(page).toContain('900 videos use it, usually 300: 2.9 times as many');
  expect(page).toContain('#&lt;b&gt;');
  expect(page.indexOf('Rising hashtag</span>')).toBeLessThan(page.indexOf('Spike</span>'));
  expect(page).toContain('delivered</span> to <bdi>https://hook0.example</bdi>');
  expect(page).toContain('failed</span> to <bdi>https://hook1.example</bdi>');
  expect(page).toContain('HTTP 500');
  expect(page).not.toContain('secret-path');
});

test('filters by kind, platform and time', async () => {
  expect(await pageOf(local, '/events?kind=trend.spike')).not.toContain('Rising hashtag</span>');
  expect(await pageOf(local, '/events?platform=tiktok')).toContain('1 event, newest first');
  const before = new Date(hoursAgo(2)).toISOString();
  expect(await pageOf(local, `/events?asOf=${before}`)).toContain('pending">pending</span> to');
  const earlier = new Date(hoursAgo(20)).toISOString();
  expect(await pageOf(local, `/events?asOf=${earlier}`)).not.toContain('Rising hashtag</span>');
});

test('a card of a creator has the curve of the video in its reason, and a link to it', async () => {
  const one = await runService((into) => {
    into.video({
      id: 'tt_9',
      user: 'mira',
      snapshots: [
        [hoursAgo(20), 10],
        [hoursAgo(2), 900],
      ],
    });
  });
  const evidence = { reason: 'top', video: 'tt_9', rank: 1, list: 'feed 24h', watchedDays: 9 };
  const lake = openLake(one.dataDir);
  lake.sqlite
    .prepare(
      "insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data) values ('evt_9', 'creator.viral', 'tiktok', 'creator:mira', ?, ?, 'trendlake', ?)",
    )
    .run(hoursAgo(1), hoursAgo(1), JSON.stringify({ evidence }));
  lake.close();
  const page = await pageOf(one, '/events');
  const [card] = page.split('<li class="event">').slice(1);
  expect(card).toContain('<h4>First time at rank 1 of the feed of 24h</h4><svg class="spark"');
  expect(card).toContain('href="/videos/tt_9">the video</a>');
  expect(await pageOf(one, '/?platform=tiktok')).toContain(
    '<b>First time at rank 1 of the feed of 24h</b>',
  );
});

test('as CSV', async () => {
  const csv = await pageOf(local, '/events?format=csv&kind=hashtag.rising');
  expect(csv.split('\r\n')[0]).toBe(
    'occurred_at,kind,platform,subject,why,delivered,detected_at,id',
  );
  expect(csv).toContain(`${new Date(hoursAgo(3)).toISOString()},hashtag.rising,,hashtag:<b>,`);
});

test('keys see deliveries to their own endpoints only', async () => {
  const open = await runService(() => undefined, { host: '0.0.0.0' });
  fill(open.dataDir, [keyIdOf(open), 'somebody else']);
  const page = await pageOf(open, '/events', { authorization: `Bearer ${open.key}` });
  expect(page).toContain('https://hook0.example');
  expect(page).not.toContain('https://hook1.example');
  const everybody = await runService(() => undefined, { host: '0.0.0.0', publicDashboard: true });
  fill(everybody.dataDir, [null]);
  const seen = await pageOf(everybody, '/events');
  expect(seen).toContain('hashtag.rising');
  expect(seen).not.toContain('https://hook0.example');
});
