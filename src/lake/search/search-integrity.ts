import { LakeError, messageOf } from '../../base/errors.ts';
import type { Lake } from '../open.ts';
import { prepare, required } from '../prepare.ts';

/** What `doctor` says of the search index. */
export interface SearchHealth {
  readonly ok: boolean;
  readonly detail: string;
}

/** Whether a problem that SQLite's check of a whole database names is the search index's alone. */
export const isOfSearch = (problem: string): boolean => /\bfts5\b|inverted index/i.test(problem);

/**
 * Whether the search index is whole and covers every video: the index's own structure, videos
 * without an entry, entries without a video, and rows still waiting to be put in.
 * Only reads: FTS5's own command for it is an insert, for which every other writer would wait.
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
        detail: `${missing} videos are not in the search index and ${orphaned} entries belong to none (${waiting} wait to be put in). Rebuild it with rebuildSearch.`,
      };
    return { ok: true, detail: `whole; ${waiting} videos wait to be put in` };
  } catch (error) {
    return { ok: false, detail: `damaged: ${messageOf(error)}. Rebuild it with rebuildSearch.` };
  }
};
