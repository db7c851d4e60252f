import type { Clock } from '../../base/clock.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../open.ts';
import { contentItems } from '../read/content-items.ts';
import { type SearchQuery, searchVideos } from './search.ts';

/** One page of matches, best first. */
export interface SearchPage {
  /** Matching videos; a lower bound where counting stopped. */
  readonly total: number;
  readonly items: ContentItem[];
  /** True when the deadline came first: asked again, it may find more. */
  readonly isCutOff: boolean;
}

/** `GET /search`, from one state of the lake. Query and page are plain data, for threads. */
export const searchPage = (
  lake: Lake,
  query: SearchQuery,
  clock: Pick<Clock, 'monotonic'>,
): SearchPage =>
  lake.sqlite.transaction(() => {
    const { total, keys, isCutOff } = searchVideos(lake, query, clock);
    const before = (query.page - 1) * query.limit;
    const entries = keys.map((key, index) => ({
      key,
      rank: before + index + 1,
      score: null,
      velocity: null,
    }));
    return { total, items: contentItems(lake, entries, query.asOf), isCutOff };
  })();
