import { systemClock } from '../../base/clock.ts';
import { answerRequests, threadStart } from '../../base/thread.ts';
import type { ComputedList, ListRowsQuery } from '../../lake/lists/computed-list.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';
import type { SearchQuery } from '../../lake/search/search.ts';
import type { SearchPage } from '../../lake/search/search-page.ts';
import type { FoundOf, PageQuery, PageReading } from './page-readings.ts';

// The thread of slow reads, with a separate connection. See reader-thread.ts.

/** Queries and results by the kind of a thread. */
export interface ReaderKinds {
  readonly lists: { query: ListRowsQuery; found: ComputedList };
  readonly search: { query: SearchQuery; found: SearchPage };
  readonly pages: { query: PageQuery; found: FoundOf<PageReading> };
}
export type ReaderKind = keyof ReaderKinds;

export interface ReaderStart {
  readonly dataDir: string;
  readonly kind: ReaderKind;
}

const PAGE_CACHE_KIB = 8 * 1024;

const { dataDir, kind } = threadStart<ReaderStart>();

type Read<K extends ReaderKind> = (query: ReaderKinds[K]['query']) => ReaderKinds[K]['found'];

/** Readers by kind. Each loads only the modules it needs, as the first query waits for them. */
const READERS: { readonly [K in ReaderKind]: () => Promise<(lake: Lake) => Read<K>> } = {
  lists: async () => {
    const { computeList } = await import('../../lake/lists/computed-list.ts');
    return (lake) => (query) => computeList(lake, query);
  },
  search: async () => {
    const { searchPage } = await import('../../lake/search/search-page.ts');
    return (lake) => (query) => searchPage(lake, query, systemClock);
  },
  pages: async () => {
    const { oneReading } = await import('../../lake/one-reading.ts');
    const { readForPage } = await import('./page-readings.ts');
    return (lake) => (query) => oneReading(lake, () => readForPage(lake, query));
  },
};

const openLake = (): Lake => {
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma('temp_store = FILE'); // sorts must not use memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  return lake;
};

// a thread gets queries of one kind only
const readerOf = (await READERS[kind]()) as (lake: Lake) => (query: unknown) => unknown;
let read: ReturnType<typeof readerOf> | undefined;
answerRequests((query: ReaderKinds[ReaderKind]['query']) => {
  read ??= readerOf(openLake());
  return read(query);
});
