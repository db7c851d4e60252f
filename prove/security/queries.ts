import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { systemClock } from '../../src/base/clock.ts';
import { CLOSED_COLUMNS, CLOSED_TABLES } from '../../src/lake/query/refuse-closed.ts';
import type { Proof } from './proof.ts';
import type { Served } from './served.ts';

const BIN = fileURLToPath(new URL('../../src/cli/bin.js', import.meta.url));
const ENDLESS =
  'with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n';
const ENDLESS_AT_ONCE = 6;
const QUERIES = 10;
/** A query is a process, which takes a moment to start on a busy machine; an endless one takes 60 s. */
const WAIT_MOST_MS = 10_000;

/** One key has endless queries run and wait; another queries meanwhile. */
export const proveQueryTurns = async ({ origin, newKey }: Served): Promise<Proof> => {
  const passed: string[] = [];
  const keyed = (): Record<string, string> => ({
    authorization: `Bearer ${newKey()}`,
    'x-forwarded-for': '203.0.113.9', // else it is the operator's, who needs no key
  });
  const [greedy, other] = [keyed(), keyed()];
  const over = new AbortController();
  const endless = Array.from({ length: ENDLESS_AT_ONCE }, () =>
    fetch(`${origin}/query.csv`, {
      method: 'POST',
      body: new URLSearchParams({ sql: ENDLESS }),
      headers: greedy,
      signal: over.signal,
    }).catch(() => undefined),
  );
  const spans: number[] = [];
  for (let n = 0; n < QUERIES; n++) {
    const from = performance.now();
    const query = new URLSearchParams({ sql: `select 'found ${n}' as word` });
    const response = await fetch(`${origin}/query?${query}`, { headers: other });
    if (!(await response.text()).includes(`<td>found ${n}`))
      passed.push(`query ${n} found nothing`);
    spans.push(performance.now() - from);
  }
  over.abort();
  await Promise.all(endless);
  const worst = Math.max(...spans);
  if (worst > WAIT_MOST_MS) passed.push(`another key waited ${Math.round(worst)} ms`);
  return {
    what: `queries of a key while another has ${ENDLESS_AT_ONCE} endless ones`,
    tried: QUERIES,
    passed,
    measured: `worst ${Math.round(worst)} ms`,
  };
};

const CLOSED: readonly string[] = [
  ...CLOSED_TABLES.flatMap((table) => [
    `select * from ${table}`,
    `with t as (select * from main."${table}") select count(*) from t`,
  ]),
  ...Object.entries(CLOSED_COLUMNS).flatMap(([table, columns]) => [
    `select * from ${table}`,
    ...columns.flatMap((column) => [
      `select ${column} from ${table}`,
      `select count(*) from "${table}" t where t.[${column}] > 'a'`,
      `select (select max(${column}) from ${table}) as most`,
    ]),
  ]),
  'pragma database_list',
  'select file from pragma_database_list',
  "attach '/etc/passwd' as other",
  "vacuum into '/tmp/stolen.db'",
  "select readfile('/etc/passwd')",
];
const rows = (most: number): string =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${most})`;
const BOMBS: readonly string[] = [
  `${rows(5_000_000)} select i, hex(randomblob(200)) as word from n order by word`,
  `${rows(5_000_000)} select count(distinct hex(randomblob(200))) as words from n`,
  `${rows(5_000_000)} select group_concat(hex(randomblob(200))) as words from n`,
  "select length(replace(hex(zeroblob(200000000)), '0', 'abcd')) as n",
  'select length(zeroblob(900000000) || hex(zeroblob(400000000))) as n',
  ENDLESS,
];
const MEMORY_MOST_MB = 800;

/** Peaks of a process and those it started: resident memory, and SQLite's temporary files. */
const watched = (pid: number) => {
  const most = { residentMb: 0, fileMb: 0 };
  const look = (): void => {
    for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one)))
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        if (Number(/PPid:\s+(\d+)/.exec(status)?.[1]) !== pid) continue;
        const residentMb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
        most.residentMb = Math.max(most.residentMb, residentMb);
        for (const file of readdirSync(`/proc/${name}/fd`).map((fd) => `/proc/${name}/fd/${fd}`))
          if (readlinkSync(file).includes('etilqs_'))
            most.fileMb = Math.max(most.fileMb, statSync(file).size / (1 << 20));
      } catch {} // it ended meanwhile
  };
  return { most, look };
};

/** SQL of an assistant that reads what is closed, or takes what it can of memory and disk. */
export const proveAssistants = async ({ dataDir }: Served): Promise<Proof> => {
  const passed: string[] = [];
  const client = new Client({ name: 'proof', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', '--data-dir', dataDir],
    stderr: 'ignore',
  });
  await client.connect(transport);
  const { most, look } = watched(transport.pid ?? 0);
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      look();
      await systemClock.sleep(20);
    }
  })();
  try {
    for (const sql of [...CLOSED, ...BOMBS]) {
      const { isError, content } = await client.callTool({ name: 'query', arguments: { sql } });
      if (isError !== true) passed.push(`${sql.slice(0, 60)}: was run`);
      if (JSON.stringify(content).includes(dataDir)) passed.push(`${sql}: tells the path`);
    }
  } finally {
    isOver = true;
    await watching;
    await client.close();
  }
  if (most.residentMb > MEMORY_MOST_MB) passed.push(`${Math.round(most.residentMb)} MB resident`);
  if (most.fileMb > 1) passed.push(`a temporary file of ${Math.round(most.fileMb)} MB`);
  return {
    what: 'SQL of an assistant (`mcp`) for closed tables, paths, memory and disk',
    tried: CLOSED.length + BOMBS.length,
    passed,
    measured: `a query took ${Math.round(most.residentMb)} MB and no file at most`,
  };
};
