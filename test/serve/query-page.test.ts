import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { countOf } from '../../fixtures/lake-rows.ts';
import { openLake, openLakeForReading } from '../../src/lake/open.ts';
import { type Filler, hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

const fill = (into: Filler): void => {
  into.video({
    id: 'tt_1',
    title: '=1+1 <b>&',
    user: 'ana',
    snapshots: [
      [hoursAgo(20), 5],
      [hoursAgo(2), 50],
    ],
  });
  into.video({ id: 'yt_1', title: 'a tube', user: 'bo', snapshots: [[hoursAgo(2), 7]] });
};

let local: Running;
beforeAll(async () => {
  local = await runService(fill);
  const lake = openLake(local.dataDir);
  lake.sqlite
    .prepare(
      "insert into subscriptions (id, url, secret, filter, allow_loopback_http, created_at) values ('s', 'https://hook.example/very-secret', '', '{}', 0, 1)",
    )
    .run();
  lake.close();
});

interface Came {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, string | string[] | undefined>;
}

const ask = (
  path: string,
  headers: Record<string, string> = {},
  { of = local, body }: { of?: Running; body?: string } = {},
): Promise<Came> =>
  new Promise((resolve, reject) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = request(
      {
        port: new URL(of.service.url).port,
        host: '127.0.0.1',
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: body === undefined ? headers : { ...form, ...headers },
      },
      (answer) =>
        void text(answer).then(
          (got) => resolve({ status: answer.statusCode ?? 0, text: got, headers: answer.headers }),
          reject,
        ),
    );
    sent.on('error', reject).end(body);
  });
const at = (sql: string): string => `/query?${new URLSearchParams({ sql })}`;
const run = async (sql: string, of = local): Promise<string> =>
  (await ask(at(sql), {}, { of })).text;
const videosOf = ({ dataDir }: Running): number => {
  const lake = openLakeForReading(dataDir);
  const count = countOf(lake, 'select count(*) from video');
  lake.close();
  return count;
};
const formOf = (sql: string): { body: string } => ({ body: String(new URLSearchParams({ sql })) });

test('without a statement the page shows the dictionary and the cookbook', async () => {
  const { status, text: page } = await ask('/query');
  expect(status).toBe(200);
  expect(page).toContain('data-name="video_history"');
  expect(page).toContain('What leads each feed now?');
  expect(page).not.toContain('data-name="subscriptions"');
  expect(page).not.toContain('id="result"');
});

test('runs the statement in the address, escapes cells and aligns numbers', async () => {
  const page = await run('select id, title, views from videos order by id');
  expect(page).toContain('2 rows');
  expect(page).toContain('<td>=1+1 &lt;b&gt;&amp;');
  expect(page).toContain('.result :is(td,th):nth-child(3){text-align:right');
});

test('redirects a short posted statement to its address and answers a long one directly', async () => {
  const sql = 'select count(*) as n from videos';
  const sent = await ask('/query', {}, formOf(sql));
  expect([sent.status, sent.headers.location]).toEqual([303, at(sql)]);
  const long = await ask('/query', {}, formOf(`select 42 as n -- ${'x'.repeat(5000)}`));
  expect(long.status).toBe(200);
  expect(long.text).toContain('<td>42');
  expect((await ask('/query', {}, formOf('x'.repeat(30_000)))).status).toBe(413);
});

test('asOf answers over the lake as it was known then, and keeps it in the address', async () => {
  const sql = 'select count(*) as n from videos';
  const asOf = '2020-01-01T00:00:00Z';
  const body = String(new URLSearchParams({ sql, asOf }));
  const { headers } = await ask('/query', {}, { body });
  expect(headers.location).toBe(`/query?${new URLSearchParams({ sql, asOf })}`);
  const { text: page } = await ask(String(headers.location));
  expect(page).toMatch(/<td>0/);
  expect(page).toContain('value="2020-01-01T00:00:00.000Z"');
  expect((await ask(`${at(sql)}&asOf=soon`)).status).toBe(400);
});

test('a statement is saved under a name, has an address, and is deleted', async () => {
  const { host } = new URL(local.service.url);
  const own = { host, origin: `http://${host}` };
  const body = String(
    new URLSearchParams({
      sql: 'select user, views from videos',
      name: 'Who grew?',
      chart: 'bars',
    }),
  );
  const sent = await ask('/query/save', own, { body });
  expect([sent.status, sent.headers.location]).toEqual([303, '/query/who-grew']);
  const { text: page } = await ask('/query/who-grew');
  expect(page).toContain('>Who grew?</h1>');
  expect(page).toContain('class="bars"');
  expect((await ask('/query')).text).toContain('<a href="/query/who-grew">Who grew?</a>');
  const changed = body.replace('bars', 'none');
  expect((await ask('/query/save', own, { body: changed })).status).toBe(303);
  expect((await ask('/query/who-grew')).text).not.toContain('class="bars"');
  expect((await ask('/query/save', own, { body: 'sql=select+1&name=!' })).status).toBe(400);
  await ask('/query/delete', own, { body: 'slug=who-grew' });
  expect((await ask('/query/who-grew')).status).toBe(404);
});

test('a saved query of another site waits, and cannot be saved from there', async () => {
  const body = 'sql=select+41%2B1+as+n&name=held';
  expect((await ask('/query/save', { 'sec-fetch-site': 'cross-site' }, { body })).status).toBe(403);
  expect((await ask('/query/save', { 'sec-fetch-site': 'same-origin' }, { body })).status).toBe(
    303,
  );
  const { text: page } = await ask('/query/held', { 'sec-fetch-site': 'cross-site' });
  expect(page).toContain('has not run yet');
  expect(page).not.toContain('<td>42');
});

test('elsewhere, saving takes a key with the scope watch', async () => {
  const open = await runService(fill, { host: '0.0.0.0' });
  const save = async (key: string) => {
    const sent = {
      'x-forwarded-for': '203.0.113.9',
      'sec-fetch-site': 'same-origin',
      authorization: `Bearer ${key}`,
    };
    return (await ask('/query/save', sent, { of: open, body: 'sql=select+1&name=one' })).status;
  };
  expect(await save(open.newKey({ scopes: ['read'] }))).toBe(403);
  expect(await save(open.newKey({ scopes: ['read', 'watch'] }))).toBe(303);
});

test('a chart can be chosen, and a missing one says what it needs', async () => {
  const of = async (more: Record<string, string>) =>
    (await ask(`${at('select id, user, views, likes from videos')}&${new URLSearchParams(more)}`))
      .text;
  expect(await of({ chart: 'lines' })).toContain('No chart: lines need a column of dates');
  expect(await of({ chart: 'none' })).not.toContain('class="bars"');
  expect(await of({ x: 'user', y: 'views' })).toMatch(/class="bars".*scope="row" dir="auto">ana/s);
});

test('the dictionary has three groups, and every view an example that runs', async () => {
  const { text: page } = await ask('/query');
  const groups = ['Ask these', 'Raw history', 'Internals'].map((name) =>
    page.indexOf(`<h3>${name}`),
  );
  expect(groups).toEqual(groups.toSorted((a, b) => a - b));
  expect(groups[0]).toBeGreaterThan(0);
  const asked = page.slice(groups[0], groups[1]);
  for (const name of ['rising_next', 'video_milestones', 'daily_summary', 'list_stays'])
    expect(asked).toContain(`<code>${name}</code>`);
  expect(page.slice(groups[2])).toContain('<code>touched_partitions</code>');
  const examples = [...page.matchAll(/href="(\/query\?[^"]+)">Run an example/g)];
  const addresses = new Set(examples.map(([, address = '']) => address.replaceAll('&amp;', '&')));
  expect(addresses.size).toBeGreaterThan(20);
  for (const address of addresses) {
    const { text: run } = await ask(address);
    expect([address, run.includes('id="result"')]).toEqual([address, true]);
  }
});

test('draws lines for values over time and bars for words with a number', async () => {
  const lines = await run(
    "select observed_at, views from video_history where id = 'tt_1' order by 1",
  );
  expect(lines).toContain('aria-label="views over time"');
  expect(await run('select user, views from videos')).toContain('class="bars"');
  expect(await run('select 1 as a')).not.toMatch(/class="(?:bars|lines)"/);
});

test('shows the first rows and the total', async () => {
  const page = await run(
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select i from n',
  );
  expect(page).toContain('the first 200 of 5,000 rows');
  expect(page.match(/<td>/g)).toHaveLength(200);
});

test('downloads all rows as CSV with escaped formulas', async () => {
  const {
    status,
    text: csv,
    headers,
  } = await ask('/query.csv', {}, formOf('select id, title from videos order by id'));
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers['content-disposition']).toBe('attachment; filename="query.csv"');
  expect(csv).toBe("id,title\ntt_1,'=1+1 <b>&\nyt_1,a tube\n");
  const wrong = await ask('/query.csv', {}, formOf('select nothing'));
  expect([wrong.status, wrong.headers['content-type']]).toEqual([400, 'application/problem+json']);
});

describe('hostile statements', () => {
  test.each([
    ['a write', 'delete from video'],
    ['a write that returns', 'delete from video returning 1'],
    ['a pragma that writes', 'pragma journal_mode = delete'],
    ['a pragma that reads', 'pragma database_list'],
    ['a bound that is lifted', 'pragma hard_heap_limit = 0'],
    ['another file', "attach '/etc/passwd' as other"],
    ['a copy into a file', "vacuum into '/tmp/stolen.db'"],
    ['two statements', 'select 1; delete from video'],
    ['where the lake lies', 'select file from pragma_database_list'],
    ['an extension', "select load_extension('/tmp/x')"],
    ['a file by a function', "select readfile('/etc/passwd')"],
    ['one behind a comment', '/* select */ pragma query_only = off'],
  ])('%s is refused', async (_, sql) => {
    const page = await run(sql);
    expect(page).toContain('role="alert"');
    expect(page).not.toContain('id="result"');
    expect(page).not.toContain('trendlake.db');
    expect(page).not.toContain('root:');
    expect(videosOf(local)).toBe(2);
  });

  test.each([
    'select url from subscriptions',
    'select url from main.subscriptions',
    'select "url" from "main"."subscriptions" as s',
    'with a as (select * from subscriptions) select url from a',
    'select (select url from subscriptions limit 1)',
    'select count(*) from subscriptions',
    "select v.id from videos v join [subscriptions] s on s.url like 'https%'",
    'select id from videos union select url from subscriptions',
    'select exists (select 1 from subscriptions where url > ?)'.replace('?', "'https'"),
    'select id from videos order by (select max(url) from subscriptions)',
  ])('what belongs to single keys is closed: %s', async (sql) => {
    const page = await run(sql);
    expect(page).toContain('subscriptions is not open to queries from here');
    expect(page).not.toContain('very-secret');
  });

  test.each([
    ['rejected_items.item', 'select reason, item from rejected_items'],
    ['rejected_items.origin', 'select * from rejected_items'],
    ['import_progress.path', 'select path from import_progress'],
  ])('rejects columns about this machine: %s', async (column, sql) => {
    expect(await run(sql)).toContain(`${column} is not open to queries from here`);
  });

  test('an endless statement is stopped and does not block others', async () => {
    const bounded = await runService(fill, { sqlLimits: { timeoutMs: 400 } });
    const endless =
      'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';
    const pages = Promise.all([
      run(endless, bounded),
      run(endless, bounded),
      run(endless, bounded),
    ]);
    expect((await bounded.get('/feed/tiktok')).status).toBe(200);
    for (const page of await pages) expect(page).toContain('took longer than 0.4 s and was ended');
  });

  test('a statement that exhausts memory fails with a reason, and the service stays up', async () => {
    const page = await run(
      "select length(replace(hex(zeroblob(100000000)), '0', 'abcd')) as n union all select length(zeroblob(900000000) || hex(zeroblob(400000000)))",
    );
    expect(page).toMatch(/needs more memory|too big/);
    expect((await local.get('/feed/tiktok')).status).toBe(200);
  });

  test('cuts huge cells, and an oversized row ends the file', async () => {
    const page = await run('select hex(zeroblob(1000000)) as a');
    expect(page.length).toBeLessThan(150_000);
    expect(page).toContain('…');
    const file = ask('/query.csv', {}, formOf('select hex(zeroblob(5000000)) as a'));
    await expect(file).rejects.toThrow(/aborted|hang up/); // not a whole file
  });
});

describe('a page of another origin', () => {
  test.each(['cross-site', 'same-site'])('cannot have a statement run (%s)', async (site) => {
    const page = await ask(at('select 41 + 1 as n'), { 'sec-fetch-site': site });
    expect(page.text).toContain('has not run yet');
    expect(page.text).not.toContain('<td>42');
    for (const path of ['/query', '/query.csv'])
      expect((await ask(path, { 'sec-fetch-site': site }, formOf('select 1'))).status).toBe(403);
  });

  test('uses the Origin header without sec-fetch-site', async () => {
    const evil = { origin: 'https://evil.example' };
    expect((await ask('/query.csv', evil, formOf('select 1'))).status).toBe(403);
    const { host } = new URL(local.service.url);
    const own = await ask(
      '/query.csv',
      { host, origin: `http://${host}` },
      formOf('select 1 as n'),
    );
    expect([own.status, own.text]).toEqual([200, 'n\n1\n']);
  });

  test('may neither read nor frame it', async () => {
    const { headers } = await ask('/query');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });
});

test.each([
  { host: '0.0.0.0' },
  { host: '0.0.0.0', publicDashboard: true },
  { publicDashboard: true },
])(
  'off this machine it asks for a key, also where the other pages are open: %o',
  async (options) => {
    const open = await runService(fill, options);
    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    const asked = await ask(at('select title from videos'), forwarded, { of: open });
    expect(asked.status).toBe(401);
    expect(asked.text).not.toContain('a tube');
    const csv = await ask('/query.csv', forwarded, { of: open, ...formOf('select 1') });
    expect(csv.status).toBe(401);
    const keyed = { ...forwarded, authorization: `Bearer ${open.key}` };
    expect((await ask(at('select title from videos'), keyed, { of: open })).text).toContain(
      'a tube',
    );
  },
);
