import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { run } from '../../../src/cli/main.ts';
import { SCHEMA_VERSION } from '../../../src/lake/migrate.ts';
import { BIN } from '../../support/cli-bin.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { surroundings } from '../../support/surroundings.ts';

const prepared = () => {
  const lake = freshLake();
  const builder = new LakeBuilder(lake);
  const views = Number.MAX_SAFE_INTEGER;
  builder.video({ id: 'tt_1', title: 'Say "hi", all\nof you', known: { at: 0, views } });
  builder.video({ id: 'yt_2', known: { at: 0 } });
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

test('what a query sorts is not held in memory', async () => {
  const { query } = prepared();
  const file = 1; // https://sqlite.org/pragma.html#pragma_temp_store
  expect((await query('select temp_store from pragma_temp_store', '--csv')).out).toBe(
    `temp_store\n${file}`,
  );
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
    expect(err).toMatch(/reference\/tables\.md/);
  }
});

test('without a lake, says how to make one', async () => {
  const { code, err } = await runCommand(['query', 'select 1'], { dataDir: freshFolder() });
  expect(code).toBe(2);
  expect(err).toMatch(/There is no lake at .*trendlake -- sync/);
});

test('a table shows its first 200 rows and says how many there are; --limit shows as many as it says', async () => {
  const { query } = prepared();
  const sql =
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1234) select i from n';
  const shown = async (...flags: string[]): Promise<[number, string | undefined]> => {
    const lines = (await query(sql, ...flags)).out.split('\n');
    return [lines.length - 5, lines.at(-1)];
  };
  expect(await shown()).toEqual([200, expect.stringMatching(/^200 of 1,234 rows; --limit 1234/)]);
  expect(await shown('--limit', '1234')).toEqual([1234, '1,234 rows']);
  expect(await shown('--limit', '3')).toEqual([3, '3 rows; there are more (--limit 3)']);
  expect((await query(sql, '--csv', '--limit', '2')).out).toBe('i\n1\n2');
});

test('--vertical prints one column per line without truncation', async () => {
  const { query } = prepared();
  const sql = `select id, ${JSON.stringify('title')}, replace(hex(zeroblob(100)), '00', 'ab') as long from videos where id = 'yt_2'`;
  expect((await query(sql, '--vertical')).out.split('\n')).toEqual([
    '─── row 1',
    'id     yt_2',
    'title',
    `long   ${'ab'.repeat(100)}`,
    '1 row',
  ]);
});

test('the query may stand in a file, or on stdin', async () => {
  const { lake, query } = prepared();
  const { dataDir } = lake;
  writeFileSync(
    join(dataDir, 'how-many.sql'),
    '\ufeff-- how many\nselect count(*) as n from videos;\n',
  );
  const fromFile = await runCommand(['query', '-f', 'how-many.sql', '--csv'], { dataDir });
  expect(fromFile.out).toBe('n\n2');
  const input = () => Readable.from(['select 1 as a', ', 2 as b']);
  for (const argv of [
    ['query', '--csv'],
    ['query', '-', '--csv'],
  ])
    expect((await runCommand(argv, { dataDir, input: input() })).out).toBe('a,b\n1,2');
  expect((await runCommand(['query', '-f', 'none.sql'], { dataDir })).code).toBe(2);
  expect((await runCommand(['query'], { dataDir })).err).toMatch(/The query is missing/);
  expect((await query('select 1', '-f', 'how-many.sql')).err).toMatch(/Use one of them/);
});

test('--csv-safe: no text is a formula in a spreadsheet; numbers stay numbers', async () => {
  const { query } = prepared();
  const sql =
    "select '=cmd()' as a, '@x' as b, '+1' as c, '-1' as d, char(9) || 'e' as e, -1 as f, 'a=b' as g";
  expect((await query(sql, '--csv-safe')).out.split('\n')[1]).toBe(
    "'=cmd(),'@x,'+1,'-1,'\te,-1,a=b",
  );
  expect((await query(sql, '--csv')).out.split('\n')[1]).toBe('=cmd(),@x,+1,-1,\te,-1,a=b');
});

test('--csv on a terminal writes control characters out; elsewhere it is byte for byte', async () => {
  const { dataDir } = prepared().lake;
  const argv = ['query', "select char(27, 93) || '0;owned' || char(7, 155, 8238) as a", '--csv'];
  const onTerminal = surroundings({ columns: 80, env: { TRENDLAKE_DATA_DIR: dataDir } });
  expect(await run(argv, onTerminal.around)).toBe(0);
  expect(onTerminal.out).toEqual(['a\n\\u001b]0;owned\\u0007\\u009b\\u202e']);
  expect((await runCommand(argv, { dataDir })).out).toBe('a\n\u001b]0;owned\u0007\u009b\u202e');
});

test('a table or column that is mistyped: the one that was meant', async () => {
  const { query } = prepared();
  expect((await query('select * from vidoes')).err).toMatch(/Did you mean videos\?/);
  expect((await query('select v.veiws from videos v')).err).toMatch(/Did you mean views\?/);
  expect((await query('select 1 from qqqqqqqqqqqqq')).err).not.toMatch(/Did you mean/);
  const elsewhere = (await query('select gained_per_day from videos')).err;
  expect(elsewhere).toContain('It is a column of creators_rising.');
  expect(elsewhere).not.toMatch(/Did you mean/);
});

/** A query that one step of SQLite keeps busy for hours: it writes no row. */
const ENDLESS =
  'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';
/** One that writes for ever. */
const ENDLESS_ROWS =
  'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n';

test('--timeout ends a query whatever it is at', async () => {
  const { lake } = prepared();
  const argv = ['query', ENDLESS, '--timeout', '0.2'];
  const { code, out, err } = await runCommand(argv, { dataDir: lake.dataDir, clock: systemClock });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/longer than 0.2 s/);
});

describe('as a process', () => {
  const start = (sql: string, ...flags: string[]) => {
    const { lake } = prepared();
    const child = spawn(process.execPath, [BIN, 'query', sql, ...flags], {
      env: { ...process.env, TRENDLAKE_DATA_DIR: lake.dataDir },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, closed: once(child, 'close') };
  };
  /** The process that runs the query, once there is one. */
  const grandchild = async ({ pid }: ChildProcess): Promise<number> => {
    for (;;) {
      const path = `/proc/${pid}/task/${pid}/children`;
      const [first] = readFileSync(path, 'utf8').trim().split(' ');
      if (first !== '' && first !== undefined) return Number(first);
      await delay(5);
    }
  };
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };

  test.runIf(process.platform === 'linux').each(['SIGINT', 'SIGTERM'] as const)(
    '%s ends it inside a step of SQLite, and nothing of it stays',
    async (signal) => {
      const { child, closed } = start(ENDLESS);
      const query = await grandchild(child);
      child.kill(signal);
      const [code] = await closed;
      expect(code).toBe(1);
      expect(isAlive(query)).toBe(false);
    },
  );

  test.runIf(process.platform === 'linux')(
    'a signal ends it where nobody reads its rows',
    async () => {
      const { child, closed } = start(ENDLESS_ROWS, '--csv');
      await once(child.stdout, 'readable');
      child.kill('SIGTERM');
      child.stdout.resume();
      expect((await closed)[0]).toBe(1);
    },
  );

  test('a closed pipe ends it', async () => {
    const { child, closed } = start(ENDLESS_ROWS, '--csv');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect((await closed)[0]).toBe(0);
  });
});
