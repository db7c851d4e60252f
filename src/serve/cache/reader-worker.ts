import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { systemClock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import { computeList, type ListAsk } from '../../history/computed-list.ts';
import { openLakeForReading } from '../../lake/open.ts';
import type { SearchAsk } from '../../search/search.ts';
import { searchPage } from '../../search/search-page.ts';

// The thread that reads what takes long, over a connection of its own. See reader.ts.

/** What a thread can be asked, by the kind it was started for. */
export interface ReaderKinds {
  readonly lists: { ask: ListAsk; found: ReturnType<typeof computeList> };
  readonly search: { ask: SearchAsk; found: ReturnType<typeof searchPage> };
}
export type ReaderKind = keyof ReaderKinds;

/** What the thread is started with. */
export interface ReaderStart {
  readonly dataDir: string;
  readonly kind: ReaderKind;
}

/** The thread's answer to one message; `code` is SQLite's, where it was SQLite that failed. */
export type ReaderReport<Found> =
  | { readonly found: Found }
  | { readonly failed: string; readonly code: string | undefined };

const PAGE_CACHE_KIB = 8 * 1024;

const { dataDir, kind } = workerData as ReaderStart;

const read = (): ((ask: unknown) => unknown) => {
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma('temp_store = FILE'); // what is sorted must not take memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  return kind === 'lists'
    ? (ask) => computeList(lake, ask as ListAsk, systemClock)
    : (ask) => searchPage(lake, ask as SearchAsk);
};

const failure = (error: unknown): ReaderReport<never> => ({
  failed: messageOf(error),
  code: error instanceof Database.SqliteError ? error.code : undefined,
});

let answer: ReturnType<typeof read> | undefined;
parentPort?.on('message', (ask: unknown) => {
  try {
    answer ??= read();
    parentPort?.postMessage({ found: answer(ask) } satisfies ReaderReport<unknown>);
  } catch (error) {
    parentPort?.postMessage(failure(error));
  }
});
