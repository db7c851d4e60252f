import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { virtualClock } from '../../src/base/clock.ts';
import type { Lake } from '../../src/lake/open.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { PARQUET_TABLES } from '../../src/output/parquet/parquet-tables.ts';
import { exampleFiles } from '../../tools/generate-examples.ts';
import { filledLake, NOON_AT } from '../output/parquet/filled-lake.ts';
import { BIN } from '../support/cli-bin.ts';
import { freshFolder } from '../support/fresh.ts';

// Every file of examples/ is tried here as far as it can be without the program it is for: SQL runs over
// a lake of every awkward kind, by the engine it is written for; documents are parsed; columns are ones
// that there are.

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'examples');
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const PATHS = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

const closing: (() => void)[] = [];
let lake: Lake;
let parquet: string;
let duckdb: DuckDBConnection;
beforeAll(async () => {
  lake = filledLake((clean) => closing.push(clean));
  ({ folder: parquet } = await exportLake(lake, { clock: virtualClock(NOON_AT), codec: 'zstd' }));
  duckdb = await (await DuckDBInstance.create(':memory:')).connect();
});
afterAll(() => {
  for (const close of closing.reverse()) close();
});

/** The statements of a file, without comments. */
const statementsOf = (sql: string): string[] =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .filter((statement) => statement.trim() !== '');

const runInDuckdb = async (statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await duckdb.runAndReadAll(statement);
};

const runInSqlite = (sql: string, given: Record<string, string | number> = {}): unknown[] =>
  lake.sqlite.prepare(sql).all(given);

test.each(PATHS.filter((path) => path !== 'README.md'))(
  '%s says what was tried, and what was not',
  (path) => {
    // of a bundle and of models the file that is opened first says it
    const says = /Tried: [\s\S]*Not\s+(?:--\s+|#\s+|\/\/\s+)?tried: |what was tried/;
    expect(read(path)).toMatch(says);
  },
);

test('the index names every file or its folder', () => {
  const index = read('README.md');
  const missing = PATHS.filter(
    (path) => !index.includes(`(${path})`) && !index.includes(`(${path.split('/')[0]}/)`),
  );
  expect(missing.filter((path) => path !== 'README.md')).toEqual([]);
});

test('what is generated is up to date', async () => {
  for (const [path, text] of await exampleFiles()) expect([path, read(path)]).toEqual([path, text]);
});

describe('SQL on DuckDB', () => {
  test('duckdb: a view for each exported table, and every question', async () => {
    await runInDuckdb([
      `set variable lake = '${parquet}'`,
      ...statementsOf(read('duckdb/lake.sql')),
    ]);
    const views = await duckdb.runAndReadAll(
      'select view_name from duckdb_views() where not internal order by 1',
    );
    expect(views.getRows().flat()).toEqual(PARQUET_TABLES.map(({ name }) => name).sort());
    await runInDuckdb(statementsOf(read('duckdb/questions.sql')));
  });

  test('the notebook: each cell in its order', async () => {
    const { nbformat, cells } = JSON.parse(read('notebook/trendlake.ipynb')) as {
      nbformat: number;
      cells: { cell_type: string; source: string[] }[];
    };
    expect(nbformat).toBe(4);
    const code = cells
      .filter((cell) => cell.cell_type === 'code')
      .map((cell) => cell.source.join(''));
    const queries = code.flatMap((cell) => [...cell.matchAll(/'''([\s\S]*?)'''/g)]);
    expect(queries.length).toBeGreaterThan(3);
    await runInDuckdb(queries.map(([, sql = '']) => sql));
    const python = ['import ast, json, sys', 'for cell in json.load(sys.stdin): ast.parse(cell)'];
    try {
      execFileSync('python3', ['-c', python.join('\n')], { input: JSON.stringify(code) });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  });

  test('tableau: the initial SQL, and fields that its views have', async () => {
    await runInDuckdb(
      statementsOf(read('tableau/initial.sql').replaceAll('/srv/trendlake/data/parquet', parquet)),
    );
    const columns = await duckdb.runAndReadAll('select column_name from duckdb_columns()');
    const known = new Set(columns.getRows().flat());
    const fields = [...read('tableau/calculated-fields.txt').matchAll(/\[(\w+)\]/g)];
    expect(
      fields.map(([, name = '']) => name).filter((name) => name !== 'field' && !known.has(name)),
    ).toEqual([]);
  });

  test('dbt: sources are the export, and every model', async () => {
    interface Source {
      readonly name: string;
      readonly meta: { readonly external_location: string };
      readonly columns: readonly { readonly name: string }[];
    }
    const { sources } = parse(read('dbt/models/sources.yml')) as {
      sources: readonly { readonly tables: readonly Source[] }[];
    };
    const tables = sources[0]?.tables ?? [];
    const locations = new Map(
      tables.map(({ name, meta }) => [
        name,
        meta.external_location.replace('{{ env_var("TRENDLAKE_PARQUET") }}', parquet),
      ]),
    );
    for (const { name, columns } of tables) {
      const described = await duckdb.runAndReadAll(`describe select * from ${locations.get(name)}`);
      const inFile = described.getRows().map(([column]) => column);
      expect(inFile.filter((column) => column !== 'date')).toEqual(
        columns.map((column) => column.name),
      );
    }
    const models = PATHS.filter((path) => /^dbt\/models\/.*\.sql$/.test(path));
    const { models: named } = parse(read('dbt/models/models.yml')) as {
      models: { name: string }[];
    };
    expect(named.map(({ name }) => `dbt/models/${name}.sql`).sort()).toEqual(models.sort());
    for (const path of models)
      await runInDuckdb([
        read(path).replace(
          /\{\{ source\('trendlake', '(\w+)'\) \}\}/g,
          (_, name: string) => locations.get(name) ?? `no source ${name}`,
        ),
      ]);
  });
});

describe('SQL on SQLite', () => {
  test('metabase: every question, its variables filled and left empty', () => {
    const questions = statementsOf(read('metabase/questions.sql'));
    expect(questions.length).toBeGreaterThan(5);
    for (const question of questions) {
      const filled = question.replace(/\[\[(.*?)\]\]/g, '$1').replace(/\{\{(\w+)\}\}/g, '@$1');
      runInSqlite(filled, { platform: 'tiktok', video: 'tt_0' });
      const empty = question.replace(/\[\[.*?\]\]/g, '').replace(/\{\{(\w+)\}\}/g, "'tt_0'");
      runInSqlite(empty);
    }
  });

  interface Panel {
    readonly title: string;
    readonly datasource: { readonly type: string };
    readonly targets: readonly { readonly expr?: string; readonly queryText?: string }[];
  }
  const targetsOf = (path: string) =>
    (JSON.parse(read(path)) as { panels: Panel[] }).panels.flatMap(({ targets }) => targets);

  test('grafana: every query of the lake', () => {
    const queries = targetsOf('grafana/trends.json').map(({ queryText = '' }) => queryText);
    expect(queries.length).toBeGreaterThan(4);
    for (const query of queries)
      runInSqlite(
        query
          .replaceAll('$platform', 'tiktok')
          .replaceAll('$__from', '0')
          .replaceAll('$__to', String(NOON_AT)),
      );
  });

  test('grafana: every metric of the operations is served at /metrics', () => {
    const told = readFileSync(join(root, 'docs', 'reference/metrics.md'), 'utf8');
    const names = targetsOf('grafana/operations.json').flatMap(({ expr = '' }) =>
      [...expr.matchAll(/trendlake_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
  });

  test('superset: datasets with a rate compute the shown rate as the lake does', () => {
    const datasets = PATHS.filter((path) => path.includes('/datasets/')).map((path) => read(path));
    const withRate = datasets.filter((text) => text.includes('column_name: engagement_rate\n'));
    expect(withRate.length).toBeGreaterThan(0);
    for (const text of withRate) {
      const { columns } = parse(text) as {
        columns: { column_name: string; expression?: string }[];
      };
      const shown = columns.find(({ column_name }) => column_name === 'engagement_rate_shown');
      const cases = lake.sqlite
        .prepare(
          `select ${shown?.expression} from (select 99 as views, 5.0 as engagement_rate union all
           select 100, 5.0 union all select 100, 100.5 union all select null, 5.0 union all select 100, null)`,
        )
        .pluck()
        .all();
      expect(cases).toEqual([null, 5, null, null, null]);
    }
  });

  test('superset: every dataset is a view with those columns', () => {
    const paths = PATHS.filter((path) => path.includes('/datasets/'));
    expect(paths.length).toBeGreaterThan(5);
    const { uuid } = parse(read('superset/trendlake/databases/trendlake.yaml')) as { uuid: string };
    for (const path of paths) {
      const dataset = parse(read(path)) as {
        table_name: string;
        database_uuid: string;
        columns: { column_name: string; expression?: string }[];
      };
      const statement = lake.sqlite.prepare(`select * from ${dataset.table_name}`);
      const stored = dataset.columns.filter(({ expression }) => expression === undefined);
      expect(stored.map(({ column_name }) => column_name)).toEqual(
        statement.columns().map(({ name }) => name),
      );
      expect(dataset.database_uuid).toBe(uuid);
    }
  });
});

test('power bi: measures name tables and columns that there are', () => {
  const columns = new Set(
    PARQUET_TABLES.flatMap(({ name, columns: all }) => all.map((one) => `${name}[${one.name}]`)),
  );
  const named = [...read('powerbi/measures.dax').matchAll(/\b[a-z_]+\[\w+\]/g)].map(
    ([name]) => name,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !columns.has(name))).toEqual([]);
});

describe('excel', () => {
  test('sheets.sh writes its sheets', () => {
    const home = freshFolder();
    const bin = join(home, 'bin');
    mkdirSync(bin);
    const shim = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`;
    writeFileSync(join(bin, 'trendlake'), shim, { mode: 0o755 });
    execFileSync('sh', [join(folder, 'excel', 'sheets.sh'), join(home, 'my sheets')], {
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, TRENDLAKE_DATA_DIR: lake.dataDir },
    });
    const heads = ['feed', 'hashtags', 'days'].map(
      (name) => readFileSync(join(home, 'my sheets', `${name}.csv`), 'utf8').split('\n')[0],
    );
    expect(heads).toEqual([
      'platform,rank,id,user,title,views,likes,engagement_rate_shown,velocity,created_at',
      'tag,platform,window,source,volume,volume_before,change',
      'date,platform,videos_seen,videos_new,snapshots,lists,events',
    ]);
  });

  test('feed.pq asks for an address and columns of the service', () => {
    const query = read('excel/feed.pq');
    const openapi = readFileSync(join(root, 'src', 'base', 'wire', 'shapes.ts'), 'utf8');
    const columns = /Columns = \{(.*)\}/.exec(query)?.[1]?.match(/\w+/g) ?? [];
    expect(columns).toContain('views');
    expect(columns.filter((name) => !openapi.includes(`\n    ${name}: `))).toEqual([]);
    expect(query).toContain('"feed/" & Platform');
  });
});

test.each(PATHS.filter((path) => /\.ya?ml$/.test(path)))('%s is YAML', (path) => {
  expect(parse(read(path))).toBeTypeOf('object');
});
