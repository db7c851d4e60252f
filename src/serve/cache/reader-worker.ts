import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { ComputedList, ListRowsQuery } from '../../lake/lists/computed-list.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';
import type { SearchQuery } from '../../lake/search/search.ts';
import type { SearchPage } from '../../lake/search/search-page.ts';
import type { FoundOf, PageQuery, PageReading } from './page-readings.ts';

// The thread that reads what takes long, over a connection of its own. See reader-thread.ts. It is a
// process's rim like the command line: the machine's clock enters here.

/** What a thread can be asked, by the kind it was started for. */
export interface ReaderKinds {
  readonly lists: { query: ListRowsQuery; found: ComputedList };
  readonly search: { query: SearchQuery; found: SearchPage };
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

type Read<K extends ReaderKind> = (query: ReaderKinds[K]['query']) => ReaderKinds[K]['found'];

/** How each kind reads a lake. It loads what that takes and no more: whoever wants the first list waits for it. */
const READERS: { readonly [K in ReaderKind]: () => Promise<(lake: Lake) => Read<K>> } = {
  lists: async () => {
    const { computeList } = await import('../../lake/lists/computed-list.ts');
    return (lake) => (query) => computeList(lake, query, systemClock);
  },
  search: async () => {
    const { searchPage } = await import('../../lake/search/search-page.ts');
    const { LakeCache } = await import('./lake-cache.ts');
    const { cachedCounts } = await import('./match-counts.ts');
    return (lake) => {
      const countMatches = cachedCounts(lake, new LakeCache(COUNTS_BYTES));
      return (query) => searchPage(lake, query, { clock: systemClock, countMatches });
    };
  },
  pages: async () => {
    const { oneReading } = await import('../../lake/one-reading.ts');
    const { readForPage } = await import('./page-readings.ts');
    return (lake) => (query) => oneReading(lake, () => readForPage(lake, query));
  },
};

const openLake = (): Lake => {
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma('temp_store = FILE'); // what is sorted must not take memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  return lake;
};

const failure = (error: unknown): ReaderReport<never> => ({
  failed: messageOf(error),
  code: error instanceof Database.SqliteError ? error.code : undefined,
});

// a thread is sent queries of its own kind alone
const readerOf = (await READERS[kind]()) as (lake: Lake) => (query: unknown) => unknown;
let read: ReturnType<typeof readerOf> | undefined;
parentPort?.on('message', (query: unknown) => {
  try {
    read ??= readerOf(openLake());
    parentPort?.postMessage({ found: read(query) } satisfies ReaderReport<unknown>);
  } catch (error) {
    parentPort?.postMessage(failure(error));
  }
});
