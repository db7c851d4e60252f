import type { Clock } from '../../base/clock.ts';
import type { KeepSettings, KeepSpans } from '../../base/config/keep-setting.ts';
import { DAY_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';
import { syncLake, withoutSync } from '../../lake/durability.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { noteDailyBefore } from '../../lake/read/daily-before.ts';
import { statement } from '../../lake/statements.ts';
import { markTouched } from '../../lake/touched-partitions.ts';
import {
  AGED_TABLES,
  type AgedTable,
  CAPTURES_OF_DAY,
  crowdedKeys,
  keysOfDay,
  outdatedRows,
  SEARCH_HITS,
  SNAPSHOT_TABLES,
  THINNED_CAPTURES,
  type ThinnedTable,
  thinnedRows,
} from './keep-tables.ts';

/** Rows removed, by public table name. */
export type KeptAway = Record<string, number>;

/** Some tens of milliseconds of work, after which others may write. */
const ROWS_A_STEP = 5000;
const CAPTURES_A_STEP = 20;

interface Day {
  readonly from: number;
  readonly to: number;
}

/** UTC days before an instant on which a table has rows, by hopping along the index on its time. */
export function* daysBetween(
  { sqlite }: Lake,
  [table, at]: readonly [table: string, at: string],
  since: number,
  until: number,
): Generator<Day> {
  const next = prepare(
    sqlite,
    `select ${at} from ${table} where ${at} >= ? and ${at} < ? order by ${at} limit 1`,
    'number',
  );
  for (let from = since; ; ) {
    const found = next.get(from, until);
    if (found === undefined) return;
    from = Math.floor(found / DAY_MS) * DAY_MS;
    yield { from, to: from + DAY_MS };
    from += DAY_MS;
  }
}

/** Whole UTC days older than `span`; undefined: none. */
export const cutoffOf = (now: number, span: number | undefined): number =>
  span === undefined ? Number.MIN_SAFE_INTEGER : Math.floor((now - span) / DAY_MS) * DAY_MS;

interface KeepDeps {
  readonly lake: Lake;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly counts: KeptAway;
}

/** Runs one short transaction, counts its rows, and lets others write. @returns the rows */
const step = async (
  { lake, clock, signal, counts }: KeepDeps,
  name: string,
  remove: () => number,
): Promise<number> => {
  const removed = withoutSync(lake, () => lake.sqlite.transaction(remove).immediate());
  if (removed > 0) counts[name] = (counts[name] ?? 0) + removed;
  await clock.sleep(0, signal);
  return removed;
};

/** A part of the subjects of a table, and the time of the rows in question. */
interface SubjectRange extends Day {
  /** JSON array. */
  readonly keys: string;
}

/** A pass over old rows: subjects that have any, as a query by day, and the rows, as a query by subject. */
interface Pass {
  readonly subjects: (thinned: ThinnedTable) => string;
  readonly rows: (thinned: ThinnedTable) => string;
}

const REMOVE: Pass = { subjects: keysOfDay, rows: outdatedRows };
const THIN: Pass = { subjects: crowdedKeys, rows: thinnedRows };

/** Passes over old snapshots with the time each is for. */
export const passesOf = (
  { full, daily }: KeepSpans,
  now: number,
): readonly (readonly [Pass, Day])[] => {
  const gone = cutoffOf(now, daily);
  return [
    [REMOVE, { from: Number.MIN_SAFE_INTEGER, to: gone }],
    [THIN, { from: gone, to: cutoffOf(now, full) }],
  ];
};

/**
 * Subjects with rows for a pass, in parts of some thousand rows and in the order in which rows lie on the
 * disk: day by day, a large lake would be read many times over.
 */
export function* subjectRanges(
  lake: Lake,
  thinned: ThinnedTable,
  [{ subjects }, { from, to }]: readonly [Pass, Day],
): Generator<SubjectRange> {
  const found = new Map<number, number>();
  const shape = { key: 'number', n: 'number' } as const;
  for (const day of daysBetween(lake, [thinned.table, 'observed_at'], from, to))
    for (const { key, n } of prepare(lake.sqlite, subjects(thinned), shape).iterate(day))
      found.set(key, (found.get(key) ?? 0) + n);
  let keys: number[] = [];
  let rows = 0;
  for (const key of [...found.keys()].sort((a, b) => a - b)) {
    keys.push(key);
    rows += found.get(key) ?? 0;
    if (rows < ROWS_A_STEP) continue;
    yield { keys: JSON.stringify(keys), from, to };
    [keys, rows] = [[], 0];
  }
  if (keys.length > 0) yield { keys: JSON.stringify(keys), from, to };
}

const keepSnapshots = async (deps: KeepDeps, spans: KeepSpans): Promise<void> => {
  const { lake } = deps;
  for (const pass of passesOf(spans, deps.clock.now()))
    for (const thinned of SNAPSHOT_TABLES) {
      const { table, name, subject } = thinned;
      const remove = prepare(
        lake.sqlite,
        `delete from ${table} where (${[...subject, 'observed_at'].join(', ')}) in (${pass[0].rows(thinned)})
         returning observed_at`,
        'number',
      );
      for (const range of subjectRanges(lake, thinned, pass))
        await step(deps, name, () => {
          const removed = remove.all(range);
          for (const date of new Set(removed.map(dateOf))) markTouched(lake, name, date);
          return removed.length;
        });
    }
};

const removeCaptures = async (deps: KeepDeps, sql: string, day: Day): Promise<void> => {
  const { lake } = deps;
  const [ranks, captures] = ['ranking', 'capture'] as const;
  const keys = prepare(lake.sqlite, sql, 'number').all(day);
  for (let done = 0; done < keys.length; done += CAPTURES_A_STEP)
    await step(deps, 'rankings', () => {
      const some = JSON.stringify(keys.slice(done, done + CAPTURES_A_STEP));
      const among = 'in (select value from json_each(?))';
      const { changes } = statement(lake, `delete from ${ranks} where capture_key ${among}`).run(
        some,
      );
      statement(lake, `delete from ${captures} where key ${among}`).run(some);
      markTouched(lake, 'rankings', dateOf(day.from));
      return changes;
    });
};

const keepRankings = async (deps: KeepDeps, { full, daily }: KeepSpans): Promise<void> => {
  const now = deps.clock.now();
  const gone = cutoffOf(now, daily);
  const at = ['capture', 'captured_at'] as const;
  for (const day of daysBetween(deps.lake, at, Number.MIN_SAFE_INTEGER, gone))
    await removeCaptures(deps, CAPTURES_OF_DAY, day);
  for (const day of daysBetween(deps.lake, at, gone, cutoffOf(now, full)))
    await removeCaptures(deps, THINNED_CAPTURES, day);
  await removeAged(deps, SEARCH_HITS, gone);
};

const removeAged = async (deps: KeepDeps, aged: AgedTable, until: number): Promise<void> => {
  const { lake } = deps;
  const { table, name, key, at, where = 'true', children = [], isExported } = aged;
  const old = `select ${key.join(', ')} from ${table}
    where ${at} < @until and (${where}) order by ${at} limit ${ROWS_A_STEP}`;
  const dates = `select distinct strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch') from ${table}
    where (${key.join(', ')}) in (${old})`;
  const remove = (): number => {
    if (isExported === true)
      for (const date of prepare(lake.sqlite, dates, 'text').all({ until }))
        markTouched(lake, name, date);
    for (const [child, column] of children)
      statement(lake, `delete from ${child} where ${column} in (${old})`).run({ until });
    return statement(lake, `delete from ${table} where (${key.join(', ')}) in (${old})`).run({
      until,
    }).changes;
  };
  while ((await step(deps, name, remove)) === ROWS_A_STEP);
};

/**
 * Thins and removes old rows as `TRENDLAKE_KEEP` says, in short transactions between which others
 * write. Killed at any moment, the next call goes on. Parquet files follow with the next export.
 * @returns rows removed by table
 * @throws the signal's reason when stopped
 */
export const keepLake = async (
  lake: Lake,
  keep: KeepSettings,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<KeptAway> => {
  const deps = { lake, clock, signal, counts: {} };
  if (keep.snapshots !== undefined) await keepSnapshots(deps, keep.snapshots);
  if (keep.rankings !== undefined) await keepRankings(deps, keep.rankings);
  for (const kind of ['events', 'forecasts', 'calls'] as const) {
    const span = keep[kind];
    if (span === undefined) continue;
    for (const aged of AGED_TABLES[kind]) await removeAged(deps, aged, cutoffOf(clock.now(), span));
  }
  const { full } = keep.snapshots ?? {};
  if (full !== undefined) noteDailyBefore(lake, cutoffOf(clock.now(), full));
  syncLake(lake);
  return deps.counts;
};
