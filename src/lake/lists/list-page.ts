import type { Lake } from '../open.ts';
import type { ItemOf, ListQuery, ListRowsQuery } from './computed-list.ts';

/** Which part of a list is wanted; pages count from 1. */
export interface Paging {
  readonly limit: number;
  readonly page: number;
}

/** The part of a list, and the instant it is wanted for. */
export interface ListMoment extends Paging {
  readonly asOf: number; // Unix ms
  /** True when `asOf` is only the present: a costly list made a moment ago will do. */
  readonly isNow: boolean;
  /** Tells when nobody waits for the response any more. */
  readonly gone?: (() => AbortSignal) | undefined;
  /** Whose share of the time it takes: the id of a key, or one name for all without. */
  readonly owner: string;
  /** It is part of a page for people, which must hold up nobody. */
  readonly isPage?: boolean;
}

/** A part of a computed list, and how exactly its instant is meant. */
export interface PartQuery<Q extends ListQuery>
  extends ListRowsQuery<Q>,
    Pick<ListMoment, 'isNow' | 'gone' | 'owner' | 'isPage'> {}

/** Part of a computed list, true at `asOf`; `isStale`: reading the lake anew, now, may give another. */
export interface ComputedPart<T> {
  readonly total: number;
  readonly items: T[];
  readonly asOf: number;
  readonly isStale: boolean;
  readonly version: number;
}

/** Where computed lists of a lake are had from. */
export interface ComputedLists {
  readonly lake: Lake;
  part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ComputedPart<ItemOf<Q>>>;
}

/**
 * One page of a list, true at `asOf` (Unix ms). `pulledAt` is null for a list computed here;
 * `isStale` when it is not what reading the lake anew, now, would give.
 */
export interface ListPage<T> {
  readonly total: number;
  /** How many of them the lake holds: of a pulled list, as deep as it was pulled. */
  readonly held: () => number;
  readonly items: () => T[];
  /** The items as the text of a JSON array, where that is had without making them. */
  readonly itemsText?: () => string;
  readonly asOf: number;
  readonly pulledAt: number | null;
  readonly isStale: boolean;
  /** Of the lake, when the page was read from it. */
  readonly version: number;
}

/** What could be read at once, or a promise of what has to be computed. */
export type Soon<T> = T | Promise<T>;

/** A page of a list that no source gave whole. */
export const computedPage = async <Q extends ListQuery>(
  lists: ComputedLists,
  wanted: Q,
  { limit, page, ...moment }: ListMoment,
): Promise<ListPage<ItemOf<Q>>> => {
  const part = await lists.part({ ...moment, wanted, from: (page - 1) * limit, count: limit });
  return { ...part, held: () => part.total, items: () => part.items, pulledAt: null };
};

/** Items that can be paged to, and the larger number that the upstream stated. */
export const totalsOf = (list: Pick<ListPage<unknown>, 'total' | 'held'>) => {
  const held = list.held();
  return list.total > held ? { total: held, matched: list.total } : { total: held };
};
