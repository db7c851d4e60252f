import type { Clock } from '../base/clock.ts';
import type { Opened } from '../base/opened.ts';
import { type Lake, openLake, openLakeForReading } from '../lake/open.ts';
import { isSearchFarBehind, refreshSearch } from '../lake/search/search-index.ts';
import { HeavyReads, type ReadLimits } from './cache/heavy-reads.ts';
import { LakeCache } from './cache/lake-cache.ts';

export interface ServedLakeOptions {
  readonly dataDir: string;
  /** Receives a sentence about each change that opening made. */
  readonly report: (sentence: string) => void;
  /** False: the search index is not updated. */
  readonly isSearched: boolean;
  /** Real time. */
  readonly machine: Clock;
  readonly readLimits: Partial<ReadLimits> | undefined;
}

const PAGE_CACHE_KIB = 16 * 1024;
const CACHE_BYTES = 20_000_000;
const WRITER_CACHE_KIB = 2 * 1024; // subscriptions only
/** A wait for another writer blocks all requests, so it is short. */
const WAIT_FOR_LAKE_MS = 2000;

/** Two connections to a lake, its cache and its reader threads. */
export class ServedLake {
  /** Subscriptions are written through it. */
  readonly writer: Lake;
  readonly reader: Lake;
  readonly cache = new LakeCache(CACHE_BYTES);
  readonly reads: HeavyReads;

  /** Creates or migrates the lake if needed. @param opened receives opened resources, which the caller closes */
  constructor(
    { dataDir, report, isSearched, machine, readLimits: limits }: ServedLakeOptions,
    opened: Opened,
  ) {
    this.writer = opened.add(openLake(dataDir, { report }));
    if (isSearched) {
      if (isSearchFarBehind(this.writer))
        report('Building the search index of all videos before the service starts.');
      refreshSearch(this.writer); // text that loading did not add
    }
    this.writer.sqlite.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
    this.writer.sqlite.pragma(`busy_timeout = ${WAIT_FOR_LAKE_MS}`);
    this.reader = opened.add(openLakeForReading(dataDir));
    this.reader.sqlite.pragma('temp_store = FILE'); // sorts must not use memory
    this.reader.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
    const { cache } = this;
    this.reads = opened.add(new HeavyReads(this.reader, { cache, clock: machine, limits }));
  }
}
