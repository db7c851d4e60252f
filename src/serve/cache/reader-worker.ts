import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { systemClock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import { computeList, type ListRowsQuery } from '../../history/computed-list.ts';
import { oneReading } from '../../lake/one-reading.ts';
import { openLakeForReading } from '../../lake/open.ts';
import type { SearchQuery } from '../../search/search.ts';
import { searchPage } from '../../search/search-page.ts';
import { LakeCache } from './lake-cache.ts';
import { cachedCounts } from './match-counts.ts';
import { type FoundOf, type PageQuery, type PageReading, readForPage } from './page-readings.ts';

// The thread that reads what takes long, over a connection of its own. See reader-thread.ts. It is a
// process's rim like the command line: the machine's clock enters here.

/** What a thread can be asked, by the kind it was started for. */
export interface ReaderKinds {
  readonly lists: { query: ListRowsQuery; found: ReturnType<typeof computeList> };
  readonly search: { query: SearchQuery; found: ReturnType<typeof searchPage> };
  readonly pages: { query: PageQuery; found: FoundOf<PageReading> };
}
export type ReaderKind = keyof ReaderKinds;

/** What the thread is started with. */
export interface ReaderStart {
  readonly dataDir: string;
  readonly kind: ReaderKind;
}

/** What became of one query; `code` is SQLite's, where it was SQLite that failed. */
export type ReaderReport<Found> =
  | { readonly found: Found }
  | { readonly failed: string; readonly code: string | undefined };

const PAGE_CACHE_KIB = 8 * 1024;
const COUNTS_BYTES = 500_000;

const { dataDir, kind } = workerData as ReaderStart;

const openReader = (): ((query: unknown) => unknown) => {
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma('temp_store = FILE'); // what is sorted must not take memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  if (kind === 'lists') return (query) => computeList(lake, query as ListRowsQuery, systemClock);
  if (kind === 'pages')
    return (query) => oneReading(lake, () => readForPage(lake, query as PageQuery));
  const countMatches = cachedCounts(lake, new LakeCache(COUNTS_BYTES));
  return (query) => searchPage(lake, query as SearchQuery, { clock: systemClock, countMatches });
};

const failure = (error: unknown): ReaderReport<never> => ({
  failed: messageOf(error),
  code: error instanceof Database.SqliteError ? error.code : undefined,
});

let read: ReturnType<typeof openReader> | undefined;
parentPort?.on('message', (query: unknown) => {
  try {
    read ??= openReader();
    parentPort?.postMessage({ found: read(query) } satisfies ReaderReport<unknown>);
  } catch (error) {
    parentPort?.postMessage(failure(error));
  }
});
