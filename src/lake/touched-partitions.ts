import type { Lake } from './open.ts';
import { statement } from './statements.ts';

/** Marks a Parquet partition (table, date) as out of date; for who has a connection and no lake. */
export const MARK_TOUCHED = `
  insert into touched_partitions (table_name, date, version) values (?, ?, 1)
  on conflict (table_name, date) do update set version = version + 1`;

/**
 * Videos in a part of `videos` and `video_hashtags`, and hashtags in one of `hashtags`, by their key. A
 * key never changes and keys rise, so a night, which changes young subjects most, touches the last
 * parts and leaves the others.
 */
export const SUBJECTS_A_PART = 1024;

/** Part of those tables with the rows of a video or hashtag, as its partition is marked; '' the first. */
export const partOfSubject = (key: number): string => {
  const part = Math.floor(key / SUBJECTS_A_PART);
  return part === 0 ? '' : `part-${String(part).padStart(6, '0')}`;
};

/** The part that `partOfSubject` names so; undefined for another text. */
export const partOfMark = (mark: string): number | undefined => {
  if (mark === '') return 0;
  const [, digits] = /^part-(\d{6,})$/.exec(mark) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * Marks a Parquet partition as out of date: a table and its UTC date, '' for tables of one file, or
 * its part (`partOfSubject`). Call it inside the transaction that changes its rows.
 */
export const markTouched = (lake: Lake, table: string, date: string): void => {
  statement(lake, MARK_TOUCHED).run(table, date);
};

/** A mark as it was read; `version` counts how often its partition was touched. */
interface Touch {
  readonly table: string;
  readonly date: string;
  readonly version: number;
}

/** Unmarks partitions whose files are written, unless they were touched again since they were read. */
export const unmarkTouched = (lake: Lake, exported: readonly Touch[]): void => {
  if (exported.length === 0) return;
  const unmark = statement(
    lake,
    'delete from touched_partitions where table_name = ? and date = ? and version = ?',
  );
  lake.sqlite
    .transaction(() => {
      for (const { table, date, version } of exported) unmark.run(table, date, version);
    })
    .immediate();
};
