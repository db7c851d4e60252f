import { systemClock } from '../../base/clock.ts';
import { answerRequests, threadStart } from '../../base/thread.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';
import { oneReading } from '../../lake/statements.ts';
import type { ReadQuery } from './readings.ts';

// A thread of slow reads, with a separate connection. See reader-threads.ts.

export interface ReaderStart {
  readonly dataDir: string;
}

const PAGE_CACHE_KIB = 8 * 1024;

const openLake = (): Lake => {
  const lake = openLakeForReading(threadStart<ReaderStart>().dataDir);
  lake.sqlite.pragma('temp_store = FILE'); // sorts must not use memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  return lake;
};

let lake: Lake | undefined;

/** Lists and searches load their modules alone, as the first query waits for them. */
answerRequests(async (wanted: ReadQuery) => {
  lake ??= openLake();
  const opened = lake;
  if (wanted.name === 'list') {
    const { computeList } = await import('../../lake/lists/computed-list.ts');
    return computeList(opened, wanted.query);
  }
  if (wanted.name === 'search') {
    const { searchPage } = await import('../../lake/search/search.ts');
    return searchPage(opened, wanted.query, systemClock);
  }
  const { readNow } = await import('./readings.ts');
  return oneReading(opened, () => readNow(opened, wanted, systemClock));
});
