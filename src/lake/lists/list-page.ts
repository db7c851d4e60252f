import { lakeVersion } from '../lake-version.ts';
import type { Lake } from '../open.ts';
import { computeList, type ItemOf, type ListQuery, type ListRowsQuery } from './computed-list.ts';

/** Requested part of a list; pages start at 1. */
export interface Paging {
  readonly limit: number;
  readonly page: number;
}

/** Requested part and instant of a list. */
export interface ListMoment extends Paging {
  readonly asOf: number; // Unix ms
  /** Signal that aborts when the client leaves. */
  readonly gone?: (() => AbortSignal) | undefined;
  /** Id of the requesting key. Requests without a key share one name. Owners take turns. */
  readonly owner: string;
  /** True for the dashboard: slow reads always run in a thread. */
  readonly isPage?: boolean;
}

/** A request for a part of a computed list. */
export interface PartQuery<Q extends ListQuery>
  extends ListRowsQuery<Q>,
    Pick<ListMoment, 'gone' | 'owner' | 'isPage'> {}

/** Part of a list at `asOf`. */
export interface ListPart<T> {
  readonly total: number;
  readonly items: T[];
  readonly asOf: number; // Unix ms
  /** Version of the lake; null if it changed during the read. */
  readonly version: number | null;
}

/** Source of a lake's computed lists. */
export interface ComputedLists {
  readonly lake: Lake;
  part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ListPart<ItemOf<Q>>>;
}

/** Computes each list again, for readers that need it once. */
export class UncachedLists implements ComputedLists {
  readonly lake: Lake;

  constructor(lake: Lake) {
    this.lake = lake;
  }

  async part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ListPart<ItemOf<Q>>> {
    const { wanted, asOf, from, count } = query;
    const version = lakeVersion(this.lake);
    const { total, items } = computeList(this.lake, { wanted, asOf, from, count });
    return { total, items: items as ItemOf<Q>[], asOf, version };
  }
}

/** One page of a list. */
export interface ListPage<T> extends ListPart<T> {
  /** Items in the lake. A pulled list may have fewer than `total`. */
  readonly held: number;
  readonly pulledAt: number | null; // Unix ms; null for a computed list
}

/** A page of a list that was not pulled. */
export const computedPage = async <Q extends ListQuery>(
  lists: ComputedLists,
  wanted: Q,
  { limit, page, ...moment }: ListMoment,
): Promise<ListPage<ItemOf<Q>>> => {
  const part = await lists.part({ ...moment, wanted, from: (page - 1) * limit, count: limit });
  return { ...part, held: part.total, pulledAt: null };
};

/** Number of items that can be paged to, and the number that the upstream stated if it is larger. */
export const totalsOf = ({ total, held }: Pick<ListPage<unknown>, 'total' | 'held'>) =>
  total > held ? { total: held, matched: total } : { total: held };
