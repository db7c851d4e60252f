import { LakeError, messageOf } from '../../base/errors.ts';
import type { Lake } from '../open.ts';
import { prepare, required } from '../prepare.ts';

/** State of the search index, for `doctor`. */
export interface SearchHealth {
  readonly ok: boolean;
  readonly detail: string;
}

/** True if a problem of SQLite's integrity check concerns the search index only. */
export const isOfSearch = (problem: string): boolean => /\bfts5\b|inverted index/i.test(problem);

/**
 * Checks the structure of the search index, videos without an entry, entries without a video, and
 * rows that wait. Read-only: FTS5's own check is an insert, for which every other writer would
 * wait.
 */
export const checkSearch = ({ sqlite }: Lake): SearchHealth => {
  const countOf = (sql: string): number => required(prepare(sqlite, sql, 'number').get());
  try {
    const stated = sqlite.pragma("integrity_check('search')", { simple: true });
    if (stated !== 'ok') throw new LakeError(String(stated));
    const waiting = countOf('select count(*) from search_pending');
    const missing = countOf(
      'select count(*) from video v where not exists (select 1 from search_docsize d where d.id = v.key)',
    );
    const orphaned = countOf(
      'select count(*) from search_docsize d where not exists (select 1 from video v where v.key = d.id)',
    );
    if (missing + orphaned > waiting)
      return {
        ok: false,
        detail: `${missing} videos are not in the search index and ${orphaned} entries belong to none (${waiting} wait to be put in)`,
      };
    return { ok: true, detail: `whole; ${waiting} videos wait to be put in` };
  } catch (error) {
    return { ok: false, detail: `damaged: ${messageOf(error)}` };
  }
};
