import type { Clock } from '../base/clock.ts';
import type { Opened } from '../base/opened.ts';
import { type Lake, openLake, openLakeForReading } from '../lake/open.ts';
import { isSearchFarBehind, refreshSearch } from '../lake/search/search-index.ts';
import { HeavyReads, type ReadLimits } from './cache/heavy-reads.ts';
import { LakeCache } from './cache/lake-cache.ts';

/** How a lake is opened to be served. */
export interface ServedLakeOptions {
  readonly dataDir: string;
  /** Receives a sentence about what opening it changed. */
  readonly tell: (sentence: string) => void;
  /** False: words that wait for the index go on waiting. */
  readonly isSearched: boolean;
  /** Time of the machine. */
  readonly machine: Clock;
  readonly readLimits: Partial<ReadLimits> | undefined;
}

const PAGE_CACHE_KIB = 16 * 1024;
/** Responses, lists, counts and instants that are remembered. */
const CACHE_BYTES = 20_000_000;
const WRITER_CACHE_KIB = 2 * 1024; // subscriptions only
/** Waiting for another writer holds up every request; long, and those that came meanwhile would seem late. */
const WAIT_FOR_LAKE_MS = 2000;

/** One lake twice, read by many and written by few, and what of it is cached or read in threads. */
export class ServedLake {
  /** Subscriptions are written through it. */
  readonly writer: Lake;
  readonly reader: Lake;
  readonly cache = new LakeCache(CACHE_BYTES);
  readonly reads: HeavyReads;

  /** Makes or migrates the lake where it has to be. @param opened what it opens, to be closed by whoever serves it */
  constructor(
    { dataDir, tell, isSearched, machine, readLimits: limits }: ServedLakeOptions,
    opened: Opened,
  ) {
    this.writer = opened.add(openLake(dataDir, { tell }));
    if (isSearched) {
      if (isSearchFarBehind(this.writer))
        tell('Building the search index of all videos before the service starts.');
      refreshSearch(this.writer); // words that came by other hands than a load
    }
    this.writer.sqlite.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
    this.writer.sqlite.pragma(`busy_timeout = ${WAIT_FOR_LAKE_MS}`);
    this.reader = opened.add(openLakeForReading(dataDir));
    this.reader.sqlite.pragma('temp_store = FILE'); // what is sorted must not take memory
    this.reader.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
    const { cache } = this;
    this.reads = opened.add(new HeavyReads(this.reader, { cache, clock: machine, limits }));
  }
}
