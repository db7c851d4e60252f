import { createHash } from 'node:crypto';
import { DAY_MS } from '../../base/durations.ts';
import type { OpenFile } from './table-store.ts';

/** An exported file of one UTC day, or of a table without days. */
export interface FileSource {
  /** `YYYY-MM-DD`; null for a table without days. */
  readonly date: string | null;
  readonly sha256: string;
  /** Runs `work` on the open file. @throws ReplacedFileError when its bytes are not those of `sha256` */
  readonly withFile: <T>(work: (open: OpenFile) => Promise<T>) => Promise<T>;
}

/** A file of a published table, and the exported files whose rows it has. */
export interface PublishedFile {
  /** Within the table. Its name is a hash of its sources. */
  readonly path: string;
  /** In the order of their days. */
  readonly sources: readonly [FileSource, ...FileSource[]];
}

/** Version of the file format, raised when equal rows give other bytes. */
const FORMAT = 1;
/** Days after its end at which a month gets one file: rows of the past seldom arrive later. */
const SETTLED_MS = 7 * DAY_MS;

const monthOf = (date: string): string => date.slice(0, 7);

/** True if a month (`YYYY-MM`) ended a week before `now` (Unix milliseconds) or earlier. */
export const isSettled = (month: string, now: number): boolean => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return Date.UTC(year, number, 1) + SETTLED_MS <= now;
};

/** The file of a table without days. It is the exported file, unchanged. */
export const wholeFile = (lake: string, source: FileSource): PublishedFile => ({
  path: `lake=${lake}/${source.sha256}.parquet`,
  sources: [source],
});

/** The file of one or more days of a month, with the column `date`. */
export const daysFile = (
  lake: string,
  sources: readonly [FileSource, ...FileSource[]],
): PublishedFile => {
  const parts = sources.map(({ date, sha256 }) => [date, sha256]);
  const hash = createHash('sha256').update(JSON.stringify([FORMAT, parts]));
  const [{ date }] = sources;
  const span = sources.length === 1 ? date : monthOf(date ?? '');
  return { path: `lake=${lake}/${span}-${hash.digest('hex')}.parquet`, sources };
};

/**
 * The files that show exported days: one for each month that `isMerged`, one for each day of the
 * others.
 */
export const daysFiles = (
  lake: string,
  days: readonly FileSource[],
  isMerged: (month: string, merged: PublishedFile) => boolean,
): PublishedFile[] => {
  const months = new Map<string, [FileSource, ...FileSource[]]>();
  for (const day of [...days].sort((a, b) => ((a.date ?? '') < (b.date ?? '') ? -1 : 1))) {
    const month = months.get(monthOf(day.date ?? ''));
    if (month === undefined) months.set(monthOf(day.date ?? ''), [day]);
    else month.push(day);
  }
  return [...months].flatMap(([month, sources]) => {
    const merged = daysFile(lake, sources);
    return isMerged(month, merged) ? [merged] : sources.map((day) => daysFile(lake, [day]));
  });
};
