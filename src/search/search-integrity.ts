import { messageOf } from '../errors.ts';
import type { Lake } from '../lake/open.ts';
import { prepare, present } from '../lake/prepare.ts';

/** What `doctor` says of the search index. */
export interface SearchHealth {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Whether the search index is whole and covers every video: the index's own structure, videos
 * without an entry, entries without a video, and rows still waiting to be put in.
 * Needs a lake that is open for writing (SQLite runs the check as an insert); changes nothing.
 */
export const checkSearch = ({ sqlite }: Lake): SearchHealth => {
  const countOf = (sql: string): number => present(prepare(sqlite, sql, 'number').get());
  try {
    sqlite.exec(`insert into search (search) values ('integrity-check')`);
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
