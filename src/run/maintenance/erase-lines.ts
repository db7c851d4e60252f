import { PLATFORMS } from '../../../schema/vocabulary.ts';
import type { PersonalSubject, SubjectSet } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

// Lines of requests, as `calls` and `run_items` hold them, name videos and creators.

const VIDEO_LINE = /^GET \/videos\/([^/]+)\/growth$/;
const CREATOR_LINE = /^GET \/creators\/([^/]+)\/([^/]+)$/;
const ANALYZE_LINE = /^POST \/lab\/analyze \{"id":("(?:[^"\\]|\\.)*")\}$/;

/** The subject of a request's line; undefined for lists. */
const subjectOfLine = (line: string): PersonalSubject | undefined => {
  const video = VIDEO_LINE.exec(line)?.[1];
  if (video !== undefined) return { kind: 'video', id: decodeURIComponent(video) };
  const [, name, handle] = CREATOR_LINE.exec(line) ?? [];
  const platform = PLATFORMS.find((known) => known === name);
  if (platform !== undefined && handle !== undefined)
    return { kind: 'creator', platform, handle: decodeURIComponent(handle) };
  const analyzed = ANALYZE_LINE.exec(line)?.[1];
  return analyzed === undefined ? undefined : { kind: 'video', id: JSON.parse(analyzed) as string };
};

const erasedLine = (line: string): string =>
  line
    .replace(VIDEO_LINE, 'GET /videos/erased/growth')
    .replace(CREATOR_LINE, 'GET /creators/$1/erased')
    .replace(ANALYZE_LINE, 'POST /lab/analyze {"id":"erased"}');

const LINES = `
  select distinct request from calls where request glob 'GET /videos/*' or request glob 'GET /creators/*'
    or request glob 'POST /lab/*'
  union select distinct request from run_items where request glob 'GET /videos/*'
    or request glob 'GET /creators/*' or request glob 'POST /lab/*'`;

/** Lines of requests about erased subjects. */
export const erasedLines = ({ sqlite }: Lake, erased: SubjectSet): string[] =>
  prepare(sqlite, LINES, 'text')
    .all()
    .filter((line) => {
      const subject = subjectOfLine(line);
      return subject !== undefined && erased.has(subject);
    });

/** Collects lines and their calls, whose responses are about erased subjects alone. @returns their ids */
export const markCalls = ({ sqlite }: Lake, lines: readonly string[]): number[] => {
  sqlite
    .prepare('insert or ignore into gone_line select value from json_each(?)')
    .run(JSON.stringify(lines));
  sqlite.exec(
    'insert or ignore into gone_call select id from calls where request in (select request from gone_line)',
  );
  return prepare(sqlite, 'select id from gone_call', 'number').all();
};

/** Rows that `eraseLines` changes, by table, once `markCalls` has collected them. */
export const countLines = ({ sqlite }: Lake): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const table of ['calls', 'run_items']) {
    const sql = `select count(*) from ${table} where request in (select request from gone_line)`;
    counts[table] = prepare(sqlite, sql, 'number').get() ?? 0;
  }
  return counts;
};

/** Takes subjects out of the ledger, whose calls stay counted, and out of runs. @returns rows by table */
export const eraseLines = ({ sqlite }: Lake, lines: readonly string[]): Record<string, number> => {
  const counts = { calls: 0, run_items: 0 };
  const [ledger, planned] = ['calls', 'run_items'] as const;
  const rename = sqlite.prepare(`update ${ledger} set request = ?, error = null where request = ?`);
  const remove = sqlite.prepare(`delete from ${planned} where request = ?`);
  for (const line of lines) {
    counts.calls += rename.run(erasedLine(line), line).changes;
    counts.run_items += remove.run(line).changes;
  }
  return counts;
};
