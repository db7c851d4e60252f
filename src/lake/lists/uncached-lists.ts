import { lakeVersion } from '../lake-version.ts';
import type { Lake } from '../open.ts';
import { computeList, type ItemOf, type ListQuery } from './computed-list.ts';
import type { ComputedLists, ComputedPart, PartQuery } from './list-page.ts';

/** Computes each list again, for readers that need it once. */
export class UncachedLists implements ComputedLists {
  readonly lake: Lake;

  constructor(lake: Lake) {
    this.lake = lake;
  }

  async part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ComputedPart<ItemOf<Q>>> {
    const { wanted, asOf, from, count } = query;
    const version = lakeVersion(this.lake);
    const { total, items } = computeList(this.lake, { wanted, asOf, from, count });
    return { total, items: items as ItemOf<Q>[], asOf, version };
  }
}
