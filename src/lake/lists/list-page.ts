import type { Lake } from '../open.ts';
import type { ItemOf, ListQuery, ListRowsQuery } from './computed-list.ts';

/** Requested part of a list; pages start at 1. */
export interface Paging {
  readonly limit: number;
  readonly page: number;
}

/** The part of a list, and the instant it is wanted for. */
export interface ListMoment extends Paging {
  readonly asOf: number; // Unix ms
  /** Aborts once nobody waits for the response. */
  readonly gone?: (() => AbortSignal) | undefined;
  /** Owner of the time it takes: the id of a key, or one name for all without a key. */
  readonly owner: string;
  /** Part of a page for people, which must not wait. */
  readonly isPage?: boolean;
}

/** A request for a part of a computed list. */
export interface PartQuery<Q extends ListQuery>
  extends ListRowsQuery<Q>,
    Pick<ListMoment, 'gone' | 'owner' | 'isPage'> {}

/** Part of a computed list at `asOf`. */
export interface ComputedPart<T> {
  readonly total: number;
  readonly items: T[];
  readonly asOf: number;
  /** Of the lake it was computed from; null: the lake changed meanwhile. */
  readonly version: number | null;
}

/** Source of a lake's computed lists. */
export interface ComputedLists {
  readonly lake: Lake;
  part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ComputedPart<ItemOf<Q>>>;
}

/** One page of a list at `asOf` (Unix ms). `pulledAt` is null for a computed list. */
export interface ListPage<T> {
  readonly total: number;
  /** Items in the lake: of a pulled list, as deep as it was pulled. */
  readonly held: number;
  readonly items: T[];
  readonly asOf: number;
  readonly pulledAt: number | null;
  /** Of the lake it was read from; null: the lake changed meanwhile. */
  readonly version: number | null;
}

/** A page of a list that no source gave whole. */
export const computedPage = async <Q extends ListQuery>(
  lists: ComputedLists,
  wanted: Q,
  { limit, page, ...moment }: ListMoment,
): Promise<ListPage<ItemOf<Q>>> => {
  const part = await lists.part({ ...moment, wanted, from: (page - 1) * limit, count: limit });
  return { ...part, held: part.total, pulledAt: null };
};

/** Items that can be paged to, and the larger number that the upstream stated. */
export const totalsOf = ({ total, held }: Pick<ListPage<unknown>, 'total' | 'held'>) =>
  total > held ? { total: held, matched: total } : { total: held };
