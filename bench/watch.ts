import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHORES, JOBS } from '../jobs/all-jobs.ts';
import { virtualClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/base/durations.ts';
import { Secret } from '../src/base/secret.ts';
import { openLakeFor } from '../src/lake/origin.ts';
import { prepare, required } from '../src/lake/prepare.ts';
import { callsPerMonth } from '../src/lake/watches/watch-calls.ts';
import { addWatch, listWatches, type NewWatch } from '../src/lake/watches/watches.ts';
import { lateWatches } from '../src/run/plan/watch-planner.ts';
import { watchPrice } from '../src/run/plan/watch-price.ts';
import { liveNight } from '../src/run/run/night.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { HttpApiClient } from '../src/upstream/client.ts';
import { LAKE_LEDGERS } from '../src/upstream/throttle/lake-ledger.ts';

// An agency on the beta tier: 3 clients, 120 creators, 10 searches, over simulated nights. Prints the
// price that was stated against the calls spent, the busiest minute, late watches, and refreshes of
// other videos before and after.
//
//   npm run bench watch [-- DAYS]

const [DAYS = 30] = process.argv.slice(2).map(Number);
const CREATORS = 120;
const SEARCHES = [
  'street food',
  'dance',
  'cat',
  'asmr',
  'football',
  'makeup',
  'diy',
  'travel',
  'anime',
  'guitar',
];
const CLIENTS = ['acme', 'globex', 'initech'];
const STARTS_AT = Date.UTC(2026, 2, 1);
const MINUTE_LIMIT = 60;

const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
const clock = virtualClock(STARTS_AT);
const sandbox = await startSandbox({ clock, at: STARTS_AT, tier: 'beta', creators: 400 });
const env = {
  TRENDLAKE_DATA_DIR: folder,
  TRENDLAKE_BASE_URL: sandbox.url,
  TRENDLAKE_API_KEY: sandbox.key,
  TRENDLAKE_TIER: 'beta',
};
const config = readConfig({ flags: {}, env, cwd: folder });
const upstream = { ...config, baseUrl: sandbox.url, apiKey: new Secret(sandbox.key) };
const lake = openLakeFor(folder, 'sandbox', { fresh: true, now: clock.now(), report: () => {} });
lake.sqlite.pragma('synchronous = OFF');
const client = new HttpApiClient(upstream);
const deps = {
  lake,
  config: upstream,
  client,
  clock,
  signal: new AbortController().signal,
  env: {},
  warn: (sentence: string) => console.log(sentence),
  allJobs: JOBS,
  chores: CHORES.filter(() => false),
  random: () => 0.5,
  attempt: async <T>(_: string, work: () => Promise<T>) =>
    ({ ok: true, value: await work() }) as const,
};
const runHour = async (at: number): Promise<void> => {
  clock.advanceTo(at);
  sandbox.clock.advanceTo(at);
  const isNight = (at / HOUR_MS) % 24 === 2;
  const names = isNight ? JOBS.map(({ name }) => name) : ['feed', 'watch'];
  await liveNight({ ...deps, jobs: JOBS.filter(({ name }) => names.includes(name)) });
};
const count = (sql: string, ...values: unknown[]): number =>
  required(prepare(lake.sqlite, sql, 'number').get(...values));
const refreshesPerDay = (from: number, to: number): number =>
  count(
    `select count(*) from calls where job in ('growth', 'creators') and sent = 1 and sent_at >= ? and sent_at < ?`,
    from,
    to,
  ) /
  ((to - from) / DAY_MS);

try {
  for (let hour = 0; hour < 48; hour++) await runHour(STARTS_AT + hour * HOUR_MS);
  const watchedFrom = STARTS_AT + 2 * DAY_MS;
  const creators = prepare(
    lake.sqlite,
    `select platform, user from video where user is not null group by 1, 2 order by sum(views) desc limit ?`,
    { platform: 'text', user: 'text' },
  ).all(CREATORS);
  const watches: (NewWatch & { everyMs: number })[] = [
    ...creators.map(({ platform, user }, index) => ({
      kind: 'creator' as const,
      platform: platform as NewWatch['platform'],
      subject: user.toLowerCase(),
      everyMs: (index % 3 === 0 ? 12 : 24) * HOUR_MS,
      tags: [CLIENTS[index % CLIENTS.length] ?? ''],
      note: null,
      until: null,
    })),
    ...SEARCHES.map((subject, index) => ({
      kind: 'search' as const,
      platform: null,
      subject,
      everyMs: DAY_MS,
      tags: [CLIENTS[index % CLIENTS.length] ?? ''],
      note: null,
      until: null,
    })),
  ];
  const calls = watches.reduce((sum, watch) => sum + callsPerMonth(watch, upstream), 0);
  const price = await watchPrice(
    lake,
    { config: upstream, jobs: JOBS, calls: { after: calls, before: 0 } },
    { ledgers: LAKE_LEDGERS, now: clock.now() },
  );
  for (const watch of watches) addWatch(lake, watch, clock.now());
  let late = 0;
  let judged = 0;
  for (let hour = 48; hour < 24 * DAYS; hour++) {
    const at = STARTS_AT + hour * HOUR_MS;
    await runHour(at);
    const month = {
      startsAt: STARTS_AT,
      endsAt: STARTS_AT + 31 * DAY_MS,
      limit: config.callsPerMonth,
    };
    const spent = { ...month, spent: 0, remaining: config.callsPerMonth };
    judged += listWatches(lake, { activeAt: at }).length;
    late += lateWatches(lake, upstream, { month: spent, now: at }).length;
  }
  const endsAt = STARTS_AT + DAYS * DAY_MS;
  const days = (endsAt - watchedFrom) / DAY_MS;
  const spent = count("select count(*) from calls where job = 'watch' and sent = 1");
  const busiest = required(
    prepare(
      lake.sqlite,
      `select max(n) from (select (select count(*) from calls o where o.sent = 1
         and o.sent_at > c.sent_at - ? and o.sent_at <= c.sent_at) as n from calls c)`,
      'number',
    ).get(MINUTE_MS),
  );
  const print = (label: string, text: string): void => console.log(`${label.padEnd(34)}${text}`);
  print('watches', `${watches.length} (${creators.length} creators, ${SEARCHES.length} searches)`);
  print('stated price, calls in 30 days', String(price.callsPerMonth));
  print(
    'spent by watches, per 30 days',
    `${((spent * 30) / days).toFixed(0)} (${spent} in ${days} days)`,
  );
  print('watch-hours late', `${late} of ${judged} (${((100 * late) / judged).toFixed(2)} %)`);
  print('busiest 60 seconds', `${busiest} of ${MINUTE_LIMIT} calls`);
  print(
    'month',
    `${count('select count(*) from calls where sent = 1')} of ${config.callsPerMonth} calls`,
  );
  print(
    'other refreshes a day, stated',
    `${price.refreshesPerDay.before.toFixed(0)} to ${price.refreshesPerDay.after.toFixed(0)}`,
  );
  print('other refreshes a day, made', refreshesPerDay(watchedFrom, endsAt).toFixed(0));
} finally {
  await client.close();
  lake.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
}
