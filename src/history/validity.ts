import { lakeVersion } from '../lake/lake-version.ts';
import type { Lake } from '../lake/open.ts';
import { statement } from '../lake/statements.ts';

const NEWEST_LOOK = 'select max(observed_at) from video_snapshot where observed_at <= ?';
const NEXT_LOOK = 'select min(observed_at) from video_snapshot where observed_at > ?';
const NEXT_BIRTH = 'select min(created_at) from video where created_at > ?';

const NEXT_OTHER = [
  'select min(completed_at) from capture where completed_at > ?',
  'select min(observed_at) from hashtag_snapshot where observed_at > ?',
  'select min(observed_at) from creator_snapshot where observed_at > ?',
];

/** What a question about an instant was answered, and for which instants that is the answer. */
interface Found {
  readonly version: number; // of the lake
  readonly from: number; // Unix ms
  readonly until: number; // Unix ms, exclusive
  readonly answer: number | null;
}

/** A lake, and the version of it that is there now. */
interface VersionOfLake {
  readonly lake: Lake;
  readonly version: number;
}

/** Questions remembered at most, each with its last answer. */
const REMEMBERED = 200;

const lakes = new WeakMap<Lake, Map<string, Found>>();

/** The answer found before, where it holds at this instant as well; else a new one. */
const remembered = (
  { lake, version }: VersionOfLake,
  question: string,
  at: number,
  find: () => Omit<Found, 'version'>,
): number | null => {
  const found = lakes.get(lake) ?? new Map<string, Found>();
  lakes.set(lake, found);
  const held = found.get(question);
  if (held?.version === version && held.from <= at && at < held.until) return held.answer;
  if (found.size >= REMEMBERED) found.clear();
  const made = { ...find(), version };
  found.set(question, made);
  return made.answer;
};

const ask = (lake: Lake, sql: string, at: number): number | null =>
  statement(lake, sql).pluck().get(at) as number | null;

/** The first after an instant, `windowMs` before the one that is asked about. */
const next = (of: VersionOfLake, sql: string, asOf: number, windowMs = 0): number =>
  remembered(of, `${sql} ${windowMs}`, asOf, () => {
    const until = (ask(of.lake, sql, asOf - windowMs) ?? Number.POSITIVE_INFINITY) + windowMs;
    return { from: asOf, until, answer: until };
  }) as number;

/** The newest look at any video at or before `asOf`. */
export const newestLook = (lake: Lake, asOf: number): number | null => {
  const of = { lake, version: lakeVersion(lake) };
  return remembered(of, NEWEST_LOOK, asOf, () => {
    const newest = ask(lake, NEWEST_LOOK, asOf);
    return { from: newest ?? asOf, until: next(of, NEXT_LOOK, asOf), answer: newest };
  });
};

/**
 * The first instant after `asOf` at which an answer over the windows of `windowsMs` can differ while
 * the lake stays as it is: something seen later comes into view, or a look or a video's birth leaves
 * a window. Until then the answer is the same for every instant asked.
 */
export const holdsUntil = (lake: Lake, asOf: number, windowsMs: readonly number[]): number => {
  const of = { lake, version: lakeVersion(lake) };
  return Math.min(
    next(of, NEXT_LOOK, asOf),
    ...NEXT_OTHER.map((sql) => next(of, sql, asOf)),
    ...windowsMs.flatMap((windowMs) => [
      next(of, NEXT_LOOK, asOf, windowMs),
      next(of, NEXT_BIRTH, asOf, windowMs),
    ]),
  );
};
