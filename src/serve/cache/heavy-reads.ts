import { systemClock } from '../../clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../durations.ts';
import { computeList, looksOf } from '../../history/computed-list.ts';
import { videosAtMost } from '../../history/window-looks.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import type { SearchAsk } from '../../search/search.ts';
import { type SearchPage, searchPage } from '../../search/search-page.ts';
import { type KeptLists, keptLists } from './kept-lists.ts';
import { type ReaderOptions, startReader } from './reader.ts';
import { sharedWork } from './shared-work.ts';

/** Bounds of what a request may cost the others, and of the threads that read. */
export interface ReadLimits extends Omit<ReaderOptions, 'dataDir' | 'kind'> {
  /**
   * What reads at most so many rows (looks of a list's windows, videos that can match a search) is read
   * on the spot: some 10 ms. Anything else goes to a thread.
   */
  readonly rowsHere: number;
}

const LIMITS: ReadLimits = {
  clock: systemClock,
  rowsHere: 10_000,
  deadlineMs: MINUTE_MS,
  idleMs: MINUTE_MS,
  queueMost: 300, // what a key of tier scale may send at once; none waits longer than 45 s
  heapMib: 64,
};

/** After this long a search answers with what it found until then. */
const SEARCH_MS = 2 * SECOND_MS;

/** What to search for, as of an instant (Unix ms); `windowMs`: published inside the window before it. */
export interface Search extends Pick<SearchAsk, 'q' | 'platform' | 'limit' | 'page' | 'asOf'> {
  readonly windowMs: number | undefined;
  /** True when `asOf` is only the present. */
  readonly isNow: boolean;
  readonly gone: () => AbortSignal;
}

/** A page of matches, true at `asOf`; `version` of the lake, null when it was written to meanwhile. */
export interface FoundPage extends SearchPage {
  readonly asOf: number;
  readonly version: number | null;
}

/** Reads that may take long, none of which holds up the others. */
export interface HeavyReads {
  readonly lists: KeptLists;
  search(asked: Search): Promise<FoundPage>;
  /** Gives up what is under way. */
  close(): Promise<void>;
}

/**
 * The lists and searches of one lake. Lists and searches have a thread each, so that neither waits for
 * the other, both started when first needed and ended when idle.
 */
export const heavyReads = (lake: Lake, limits: Partial<ReadLimits> = {}): HeavyReads => {
  const { rowsHere, ...options } = { ...LIMITS, ...limits, dataDir: lake.dataDir };
  const lists = startReader({ ...options, kind: 'lists' });
  const searches = startReader({ ...options, kind: 'search' });
  const share = sharedWork<FoundPage>();

  const searchElsewhere = async (ask: SearchAsk, unwanted: AbortSignal): Promise<FoundPage> => {
    const before = lakeVersion(lake);
    const found = await searches.ask(ask, unwanted);
    const isSure = !found.isCutOff && lakeVersion(lake) === before;
    return { ...found, asOf: ask.asOf, version: isSure ? before : null };
  };

  return {
    lists: keptLists(
      lake,
      (ask, unwanted) =>
        looksOf(lake, ask, rowsHere + 1) <= rowsHere
          ? { ...computeList(lake, ask, options.clock), costMs: null }
          : lists.ask(ask, unwanted),
      options.clock,
    ),
    search: async ({ windowMs, isNow, gone, ...asked }) => {
      const since = windowMs === undefined ? undefined : asked.asOf - windowMs;
      const ask = { ...asked, since, deadlineMs: SEARCH_MS };
      const version = lakeVersion(lake);
      if (videosAtMost(lake) <= rowsHere) {
        const found = searchPage(lake, ask);
        return { ...found, asOf: ask.asOf, version: found.isCutOff ? null : version };
      }
      const { asOf, ...words } = asked;
      const name = JSON.stringify({ ...words, windowMs, asOf: isNow ? 'now' : asOf, version });
      return share(name, (unwanted) => searchElsewhere(ask, unwanted), gone());
    },
    close: async () => {
      await Promise.all([lists.close(), searches.close()]);
    },
  };
};
