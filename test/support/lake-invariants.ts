import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { countOf } from '../../fixtures/lake-rows.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';

/**
 * Feed pages whose item says `done` but whose rows are missing, or the other way round. A run after
 * the first snapshots of the same instant of the small world adds no snapshot.
 */
const halfPages = (lake: Lake): unknown[] =>
  lake.sqlite
    .prepare(`
      with page as (
        select i.run_id, i.request, i.state, json_extract(i.request_json, '$.platform') as platform,
          json_extract(i.request_json, '$.dateRange') as period, json_extract(i.request_json, '$.offset') as start
        from run_items i where i.job = 'feed' and i.run_id = 1)
      select p.request, p.state, count(r.rank) as places from page p
      left join capture c on c.run_id = p.run_id and c.list = 'feed' and c.platform = p.platform
        and c.period = p.period
      left join ranking r on r.capture_key = c.key and r.rank > p.start and r.rank <= p.start + 100
      group by p.request, p.run_id
      having (p.state = 'done') <> (count(r.rank) > 0) or count(r.rank) not in (0, 20, 100)`)
    .all();

/** Calls settled as answered whose item is not done, or whose body was not kept; and done items without a call. */
const halfSettled = (lake: Lake): unknown[] =>
  lake.sqlite
    .prepare(`
      select c.id, c.request, i.state, r.call_id as kept from calls c
      join run_items i on i.run_id = c.run_id and i.job = c.job and i.request = c.request
      left join responses r on r.call_id = c.id
      where c.status = 200 and c.error is null and (i.state <> 'done' or r.call_id is null)
      union all
      select null, i.request, i.state, null from run_items i
      where i.state = 'done' and not exists (
        select 1 from calls c where c.run_id = i.run_id and c.request = i.request and c.status = 200)`)
    .all();

/** Files a reader's glob would find that are not whole. */
export const tornFiles = (dataDir: string): string[] => {
  const folder = join(dataDir, 'parquet');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.filter((name) => {
    if (!/(^|\/)[^./][^/]*\.parquet$/.test(name)) return false;
    const path = join(folder, name);
    const end = Buffer.alloc(4);
    const file = openSync(path, 'r');
    readSync(file, end, 0, 4, statSync(path).size - 4);
    closeSync(file);
    return end.toString() !== 'PAR1';
  });
};

/** Requests that arrived more often than the ledger has them. */
const uncounted = (lake: Lake, arrivals: readonly { line: string }[]): string[] => {
  const left = new Map(
    lake.sqlite.prepare('select request, count(*) from calls group by request').raw().all() as [
      string,
      number,
    ][],
  );
  return arrivals
    .map(({ line }) => line.replace(' /v1/', ' /'))
    .filter((request) => {
      left.set(request, (left.get(request) ?? 0) - 1);
      return (left.get(request) ?? 0) < 0;
    });
};

const expectSoundLake = ({ sqlite }: Lake): void => {
  expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(sqlite.pragma('foreign_key_check')).toEqual([]);
};

/** The database of a data directory is one SQLite finds no fault in, and every row has its parents. */
export const expectSound = (dataDir: string): void => {
  const lake = openLake(dataDir);
  try {
    expectSoundLake(lake);
  } finally {
    lake.close();
  }
};

/**
 * Expects the invariants of a data directory whenever its process died: nothing half, nothing
 * uncounted. `arrivals` is the truth of the far end, `kills` the number of deaths of a process,
 * each with at most `concurrency` calls in flight.
 */
export const expectWhole = (
  dataDir: string,
  truth: { arrivals: readonly { line: string }[]; kills: number; concurrency: number },
): void => {
  const lake = openLake(dataDir);
  try {
    expectSoundLake(lake);
    expect(halfPages(lake)).toEqual([]);
    expect(halfSettled(lake)).toEqual([]);
    const inFlight = truth.kills * truth.concurrency;
    const ledger = countOf(lake, 'select count(*) from calls');
    expect(uncounted(lake, truth.arrivals)).toEqual([]);
    expect(ledger - truth.arrivals.length).toBeLessThanOrEqual(inFlight);
    const repeated = countOf(
      lake,
      'select coalesce(sum(n - 1), 0) from (select count(*) as n from calls group by run_id, request)',
    );
    expect(repeated).toBeLessThanOrEqual(inFlight);
    expect(countOf(lake, "select count(*) from runs where outcome = 'running'")).toBeLessThan(2);
  } finally {
    lake.close();
  }
  expect(tornFiles(dataDir)).toEqual([]);
};

/** The files that the manifest names and the files there are; equal when nothing is missing, torn or left over. */
export const expectManifestAgrees = (dataDir: string): void => {
  const folder = join(dataDir, 'parquet');
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    files: { path: string; sha256: string }[];
  };
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'manifest.json')
    .map((entry) => join(entry.parentPath, entry.name));
  const sums = found.map((path) => ({
    path: path.slice(folder.length + 1),
    sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
  }));
  const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
  const named = manifest.files.map(({ path, sha256 }) => ({ path, sha256 }));
  expect(sums.sort(byPath)).toEqual(named.sort(byPath));
};
