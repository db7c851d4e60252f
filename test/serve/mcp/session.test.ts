import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { openLake } from '../../../src/lake/open.ts';
import { BIN } from '../../support/cli-bin.ts';
import { runCommand } from '../../support/run-command.ts';
import { hoursAgo, NOW } from '../filled-lake.ts';
import { type Running, runService } from '../running.ts';

// One lake, one service and one `trendlake mcp` over it, asked by the protocol's own client.

const asOf = new Date(NOW).toISOString();
const hoursIso = (hours: number): string => new Date(hoursAgo(hours)).toISOString();
const client = new Client({ name: 'test', version: '1' });
const stderr: string[] = [];
let running: Running;

beforeAll(async () => {
  running = await runService((into) => {
    for (const [n, id] of ['tt_1', 'tt_2', 'ig_3', 'yt_4'].entries())
      into.video({
        id,
        title: `dance ${n} "live"`,
        user: 'mia.moves',
        createdAt: hoursAgo(40),
        tags: ['dance', `tag${n}`],
        snapshots: [
          [hoursAgo(30), 1000 * (n + 1), 10],
          [hoursAgo(2), 9000 * (n + 1), 90],
        ],
      });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: hoursAgo(1),
      total: 2,
      ranks: [
        { rank: 1, id: 'tt_2', score: 9, velocity: 3 },
        { rank: 2, id: 'tt_1' },
      ],
    });
    into.hashtag({ tag: 'dance', platform: '', at: hoursAgo(1), volume: 12, views: 99, rank: 1 });
    into.creator({ platform: 'tiktok', handle: 'mia.moves', snapshots: [[hoursAgo(3), 500, 7]] });
    into.event({ id: 'evt_1', kind: 'trend.spike', platform: 'tiktok', at: hoursAgo(5) });
  });
  const args = [BIN, 'mcp', '--data-dir', running.dataDir];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (text) => stderr.push(String(text)));
  await client.connect(transport);
});
afterAll(() => client.close());

const call = async (name: string, given: Record<string, unknown> = {}) => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { text, told: structuredContent, isError: isError === true };
};

test('says what it has: tools with their bounds, and whose data it is', async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'lake',
    'feed',
    'trends',
    'search',
    'hashtags',
    'events',
    'forecast',
    'video',
    'growth',
    'analyze',
    'creators',
    'watches',
    'watch_add',
    'query',
  ]);
  for (const { name, inputSchema, outputSchema, annotations } of tools) {
    expect(inputSchema.additionalProperties).toBe(false);
    expect(outputSchema?.type).toBe('object');
    expect(annotations).toMatchObject({
      readOnlyHint: name !== 'watch_add',
      openWorldHint: false,
    });
  }
  expect(client.getInstructions()).toMatch(/imported\.[\s\S]*never 0[\s\S]*strangers/);
});

/** Each tool that answers as a route does, and that route. */
const ROUTES: Readonly<Record<string, string>> = {
  feed: 'GET /feed/{platform}',
  trends: 'GET /trends/{platform}/{period}',
  search: 'GET /search',
  hashtags: 'GET /hashtags',
  events: 'GET /events',
  forecast: 'GET /forecasts/{platform}',
  video: 'GET /videos/{id}',
  growth: 'GET /videos/{id}/growth',
  analyze: 'POST /lab/analyze',
  creators: 'GET /creators/{platform}/{handle}',
  watches: 'GET /watches',
};
const BOUNDS = ['type', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern'];
const bounded = (schema: unknown): object =>
  Object.fromEntries(
    Object.entries(Object(schema)).filter(([name]) =>
      [...BOUNDS, 'format', 'default'].includes(name),
    ),
  );

describe('takes what the route takes: names, bounds, defaults', () => {
  test.each(Object.entries(ROUTES))('%s as %s', async (name, route) => {
    const [method = '', path = ''] = route.split(' ');
    const document = (await running.get('/openapi.json')).body as unknown as Described;
    const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const { schemas } = document.components;
    const body = requestBody === undefined ? undefined : schemas.AnalyzeRequest;
    const taken = new Map<string, object>(
      [...parameters, ...Object.entries(body?.properties ?? {}).map(bodyField)].map((each) => [
        each.name,
        { isRequired: each.required === true, ...bounded(each.schema) },
      ]),
    );
    if (taken.has('limit')) taken.set('limit', { ...taken.get('limit'), default: 20 }); // docs/guides/assistants.md

    const { tools } = await client.listTools();
    const { inputSchema } = tools.find((tool) => tool.name === name) ?? {};
    const { properties = {}, required = [] } = inputSchema ?? {};
    expect(
      new Map(
        Object.entries(properties).map(([field, schema]) => [
          field,
          { isRequired: required.includes(field), ...bounded(schema) },
        ]),
      ),
    ).toEqual(taken);
  });

  test('every tool with an endpoint in the service', async () => {
    const { tools } = await client.listTools();
    const named = tools
      .map(({ name }) => name)
      .filter((name) => !['lake', 'watch_add', 'query'].includes(name));
    expect(named.toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  });
});

test('lake: whose data, how fresh, how much', async () => {
  expect((await call('lake')).told).toMatchObject({
    origin: null,
    newestObservationAt: new Date(hoursAgo(2)).toISOString(),
    lists: [{ list: 'feed', platform: 'tiktok', period: '24h' }],
    rows: { videos: 4, video_snapshots: 8 },
  });
});

describe('answers as the service does, field by field', () => {
  test.each([
    ['feed', { platform: 'tiktok' }, '/feed/tiktok'],
    ['feed', { platform: 'youtube', dateRange: '7d' }, '/feed/youtube?dateRange=7d'],
    ['feed', { platform: 'tiktok', limit: 1, page: 2 }, '/feed/tiktok?limit=1&page=2'],
    ['trends', { platform: 'tiktok', period: 'week' }, '/trends/tiktok/week'],
    ['search', { q: 'dance -0' }, '/search?q=dance%20-0'],
    [
      'search',
      { q: 'dan*', platform: 'youtube', dateRange: '2d' },
      '/search?q=dan*&platform=youtube&dateRange=2d',
    ],
    ['hashtags', {}, '/hashtags'],
    [
      'hashtags',
      { platform: 'instagram', dateRange: '7d' },
      '/hashtags?platform=instagram&dateRange=7d',
    ],
    ['events', { kind: 'trend.spike' }, '/events?kind=trend.spike'],
    ['events', { since: hoursIso(5) }, `/events?since=${hoursIso(5)}`],
    ['events', { since: hoursIso(4) }, `/events?since=${hoursIso(4)}`],
    ['forecast', { platform: 'tiktok', horizon: '72h' }, '/forecasts/tiktok?horizon=72h'],
    ['video', { id: 'ig_3' }, '/videos/ig_3'],
    ['growth', { id: 'tt_1' }, '/videos/tt_1/growth'],
    ['creators', { platform: 'tiktok', handle: '@mia.moves' }, '/creators/tiktok/mia.moves'],
    [
      'creators',
      { platform: 'tiktok', handle: 'mia.moves', limit: 1, page: 2 },
      '/creators/tiktok/mia.moves?limit=1&page=2',
    ],
  ])('%s %j', async (name, given, path) => {
    const { told, text } = await call(name, { ...given, asOf });
    const url = `${path}${path.includes('?') ? '&' : '?'}asOf=${asOf}`;
    const { body, status } = await running.get(url);
    expect(status).toBe(200);
    expect(told).toEqual(body);
    expect(JSON.parse(text)).toEqual(told);
  });

  test('an earlier instant has what was known then', async () => {
    const then = new Date(hoursAgo(20)).toISOString();
    const { told } = await call('video', { id: 'tt_1', asOf: then });
    expect(told).toMatchObject({ views: 1000, asOf: then });
  });

  test('analyze as the command does', async () => {
    const { told } = await call('analyze', { id: 'tt_1' });
    const { out } = await runCommand(['analyze', 'tt_1', '--json'], {
      dataDir: running.dataDir,
      clock: systemClock,
    });
    const same = { generatedAt: expect.any(String), summary: expect.any(String) };
    expect(told).toMatchObject({ ...(JSON.parse(out) as object), ...same });
  });
});

describe('what cannot be right is refused in words', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['feed', {}, /platform: .*tiktok.*youtube/],
    ['feed', { platform: 'myspace' }, /platform: .*tiktok.*youtube/],
    ['feed', { platform: 'tiktok', date_range: '7d' }, /date_range/],
    ['feed', { platform: 'tiktok', dateRange: '7 days' }, /a span such as 24h.*"7 days"/],
    ['feed', { platform: 'tiktok', limit: 101 }, /limit: .*100/],
    ['feed', { platform: 'tiktok', page: 0 }, /page: /],
    ['feed', { platform: 'tiktok', asOf: 'yesterday' }, /ISO 8601.*"yesterday"/],
    ['trends', { platform: 'tiktok', period: 'year' }, /period: .*month/],
    ['search', { q: ' ' }, /1 to 200 characters/],
    ['forecast', { platform: 'tiktok', horizon: '5h' }, /horizon: .*72h/],
    ['growth', { id: 'tt_none' }, /No video "tt_none" had been seen by 20/],
    [
      'creators',
      { platform: 'youtube', handle: 'no one' },
      /No creator "no one" had been seen on youtube/,
    ],
    ['analyze', { id: '' }, /id: /],
    ['query', { sql: 'select * from feed_nwo' }, /no such table.*feed_now.*data-dictionary/],
    ['query', { sql: "delete from video where id = 'tt_1'" }, /only reads.*Nothing was changed/],
    ['query', { sql: 'select 1; select 2' }, /more than one statement/],
    ['query', { sql: 'select 1', limit: 1001 }, /limit: .*1000/],
  ])('%s %j', async (name, given, message) => {
    const { isError, text } = await call(name, given);
    expect([isError, text]).toEqual([true, expect.stringMatching(message)]);
  });

  test('an unknown tool', async () => {
    await expect(call('delete')).rejects.toThrow(/delete not found/);
  });
});

describe('query', () => {
  const sql = 'select id, title, views from videos order by id';

  test('gives the rows that the command gives', async () => {
    const { told } = await call('query', { sql });
    const { out } = await runCommand(['query', sql, '--json'], { dataDir: running.dataDir });
    expect(told).toEqual({ rows: JSON.parse(out), rowCount: 4, truncated: false });
  });

  test('says where its limit of rows cut it off', async () => {
    const { told } = await call('query', { sql, limit: 3 });
    expect(told).toMatchObject({ rowCount: 3, truncated: true, note: /limit/ });
  });

  test('says where its limit of bytes cut it off, also inside the first row', async () => {
    const wide = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
      select i, hex(zeroblob(1000)) as wide from n`;
    const { told } = await call('query', { sql: wide, limit: 1000 });
    expect(told).toMatchObject({ truncated: true, note: /256 KB/ });
    const { rowCount } = told as { rowCount: number };
    expect(rowCount).toBeGreaterThan(50);
    expect(rowCount).toBeLessThan(200);
    const one = await call('query', { sql: 'select hex(zeroblob(1000000)) as wide' });
    expect(one.told).toMatchObject({ rows: [], truncated: true });
  });

  test.each([
    ['select url, secret from subscriptions', /^subscriptions is not open to queries from here/],
    ['select path from import_progress', /^import_progress.path is not open/],
    ['select origin from rejected_items', /^rejected_items.origin is not open/],
    ['select * from rejected_items', /^rejected_items.origin is not open/],
    ['select file from pragma_database_list', /^Only SELECT/],
    ['pragma database_list', /^Only SELECT/],
  ])('is closed to what a query page may not read either: %s', async (hostile, message) => {
    const { isError, text } = await call('query', { sql: hostile });
    expect([isError, text]).toEqual([true, expect.stringMatching(message)]);
    expect(text).not.toContain(running.dataDir);
  });

  test.runIf(process.platform === 'linux')('ends where it wants too much memory', async () => {
    const all = 'zeroblob(900000000)';
    const { isError, text } = await call('query', {
      sql: `select length(${all} || hex(zeroblob(400000000))) as n union all select length(${all})`,
    });
    expect([isError, text]).toEqual([true, expect.stringMatching(/needs more memory/)]);
  });
});

/** Pages of docs/ that are resources, by the name of the resource. */
const PAGES: Readonly<Record<string, string>> = {
  'data-dictionary': 'reference/tables.md',
  cookbook: 'guides/cookbook.md',
};

test('the dictionary and the cookbook are resources', async () => {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'trendlake://data-dictionary',
    'trendlake://cookbook',
  ]);
  for (const { uri, name } of resources) {
    const [page] = (await client.readResource({ uri })).contents;
    const path = join(import.meta.dirname, '..', '..', '..', 'docs', PAGES[name] ?? name);
    expect(page).toMatchObject({ mimeType: 'text/markdown', text: readFileSync(path, 'utf8') });
  }
});

test('reads one state of the lake while somebody writes, and the next after it', async () => {
  const writer = openLake(running.dataDir);
  try {
    const count = async () =>
      ((await call('query', { sql: 'select count(*) as n from video' })).told as Counted).rows;
    writer.sqlite.exec(
      "begin immediate; insert into video (id, platform) values ('tt_9', 'tiktok')",
    );
    expect(await count()).toEqual([{ n: 4 }]);
    expect((await call('video', { id: 'tt_9' })).isError).toBe(true);
    writer.sqlite.exec('rollback');
    expect(await count()).toEqual([{ n: 4 }]);
  } finally {
    writer.close();
  }
});

test('stderr has only the path of the lake', () => {
  expect(stderr.join('')).toBe(
    `mcp: answering from ${join(running.dataDir, 'trendlake.db')} until stdin ends.\n`,
  );
});

interface Field {
  readonly name: string;
  readonly required?: boolean;
  readonly schema: object;
}
const bodyField = ([name, schema]: [string, object]): Field => ({ name, required: true, schema });

/** The compared part of the OpenAPI document. */
interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { parameters?: readonly Field[]; requestBody?: object }>>
    >
  >;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, object>> }>
    >;
  };
}

interface Counted {
  readonly rows: readonly { readonly n: number }[];
}

test('states the price of a watch first, and saves it only when asked to', async () => {
  const wish = { subject: '@mia.moves', platform: 'tiktok', every: '6h', tags: ['acme'] };
  const priced = await call('watch_add', wish);
  expect(priced.told).toMatchObject({ saved: false, id: null });
  expect(priced.text).toContain('Price: 120 calls a month');
  expect((await call('watches')).told).toMatchObject({ total: 0 });
  const saved = await call('watch_add', { ...wish, save: true });
  expect(saved.told).toMatchObject({ saved: true });
  const { id } = JSON.parse(saved.text) as { id: string };
  expect(id).toMatch(/^w_/);
  expect((await call('watches', { tag: 'acme' })).told).toMatchObject({
    total: 1,
    items: [{ id, subject: 'mia.moves', callsPerMonth: 120, tags: ['acme'] }],
  });
  expect((await call('watch_add', { subject: '@unknown' })).isError).toBe(true);
});
