import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../src/lake/migrate.ts';
import { freshFolder, freshLake } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

const prepared = () => {
  const lake = freshLake();
  const insert = lake.sqlite.prepare(
    'insert into video (id, platform, title, views, first_seen_at) values (?, ?, ?, ?, 0)',
  );
  insert.run('tt_1', 'tiktok', 'Say "hi", all\nof you', 9007199254740991n);
  insert.run('yt_2', 'youtube', null, null);
  const query = (sql: string, ...flags: string[]) =>
    runCommand(['query', sql, ...flags], { dataDir: lake.dataDir });
  return { lake, query };
};
const SQL = 'select id, title, views from videos order by id';

test('a table, with its number of rows', async () => {
  const { query } = prepared();
  const { code, out, err } = await query(SQL);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/tt_1.*Say "hi", all of you.*9007199254740991[\s\S]*2 rows$/);
});

test('a table is for reading: numbers have three decimals, small ones three digits', async () => {
  const { query } = prepared();
  const sql = 'select 1103809.629211899 as a, 0.000123456 as b, 1.0 / 3 as c, 9e999 as d, 2.0 as e';
  expect((await query(sql)).out).toMatch(/1103809\.629 .* 0\.000123 .* 0\.333 .* Infinity .* 2 /);
  expect((await query('select 1e306 as a')).out).toContain('│ 1e+306 │');
  expect((await query(sql, '--csv')).out).toContain(
    '1103809.629211899,0.000123456,0.333333333333333',
  );
});

test('--csv is RFC 4180 but for its line ends, --json one document', async () => {
  const { query } = prepared();
  expect((await query(SQL, '--csv')).out.split('\n').slice(0, 2)).toEqual([
    'id,title,views',
    'tt_1,"Say ""hi"", all',
  ]);
  expect(JSON.parse((await query(SQL, '--json')).out)).toEqual([
    { id: 'tt_1', title: 'Say "hi", all\nof you', views: 9007199254740991 },
    { id: 'yt_2', title: null, views: null },
  ]);
  expect(JSON.parse((await query("select x'00ff' as b, 1 << 62 as n", '--json')).out)).toEqual([
    { b: 'AP8=', n: String(2n ** 62n) },
  ]);
});

test('two columns of one name: --json refuses what an object cannot hold, --csv has both', async () => {
  const { query } = prepared();
  const sql = "select id, title as n, platform as id from videos where id = 'yt_2'";
  const { code, out, err } = await query(sql, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([2, { error: { code: 'usage' } }]);
  expect(err).toMatch(/Two columns are called "id".*"as"/);
  expect((await query(sql, '--csv')).out).toBe('id,n,id\nyt_2,,youtube');
});

test('SQL that begins with a comment is read as an option, and the error says how it is not', async () => {
  const { query, lake } = prepared();
  const sql = '-- how many\nselect count(*) as n from videos';
  const { code, err } = await query(sql);
  expect(code).toBe(2);
  expect(err).toMatch(/SQL that begins with a dash.* `--`/);
  const { out } = await runCommand(['query', '--csv', '--', sql], { dataDir: lake.dataDir });
  expect(out).toBe('n\n2');
});

test('--csv and --json together are refused: one of them would be ignored', async () => {
  const { code, out } = await prepared().query(SQL, '--csv', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([2, { error: { code: 'usage' } }]);
});

describe('nothing is ever written', () => {
  test.each([
    'delete from video',
    "insert into video (id, platform) values ('tt_9', 'tiktok')",
    'drop table video',
    'pragma user_version = 7',
    'vacuum',
    "attach database 'other.db' as other",
    'select 1; delete from video',
    "with gone as (select 1) delete from video where id = 'tt_1'",
  ])('%s', async (sql) => {
    const { query, lake } = prepared();
    const { code, out, err } = await query(sql);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/trendlake: /);
    expect(lake.sqlite.prepare('select count(*) from video').pluck().get()).toBe(2);
    expect(lake.sqlite.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
  });
});

test('SQL that cannot be run says why and where the tables are described', async () => {
  const { query } = prepared();
  for (const sql of ['selct 1', 'select nothing from videos', 'select * from nowhere', '']) {
    const { code, err } = await query(sql);
    expect(code).toBe(2);
    expect(err).toMatch(/data-dictionary/);
  }
});

test('without a lake, says how to make one', async () => {
  const { code, err } = await runCommand(['query', 'select 1'], { dataDir: freshFolder() });
  expect(code).toBe(2);
  expect(err).toMatch(/There is no lake at .*trendlake sync/);
});
