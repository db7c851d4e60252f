import { lakeVersion } from '../../lake/lake-version.ts';
import {
  type ComputedList,
  type ItemOf,
  itemsOf,
  type ListQuery,
  type ListRowsQuery,
  rowWidth,
  windowsOf,
} from '../../lake/lists/computed-list.ts';
import type { ComputedLists, ListPart, PartQuery } from '../../lake/lists/list-page.ts';
import { KEPT_DEPTH } from '../../lake/lists/ranking.ts';
import type { Lake } from '../../lake/open.ts';
import { isStillTrue, type LakeCache, type Shelf, type Validity } from './lake-cache.ts';
import type { Requester } from './reader-threads.ts';
import { SharedWork } from './shared-work.ts';

export type ComputeList = (query: ListRowsQuery, requester: Requester) => Promise<ComputedList>;

interface Entry extends Validity {
  readonly total: number;
  readonly rows: Float64Array;
}

/** A computed list, with the part that was requested. */
interface Computation {
  readonly query: PartQuery<ListQuery>;
  readonly entry: Entry;
  readonly items: ComputedList['items'];
}

/** Cached instants of one list. */
const MOST_INSTANTS = 8;
const ENTRY_BYTES = 200;

const nameOf = (wanted: ListQuery): string =>
  `${wanted.list} ${wanted.platform} ${windowsOf(wanted)[0]}`;

/**
 * Cache of computed lists. An entry is valid until the lake changes or a snapshot enters or leaves one of
 * its windows. Concurrent requests share a computation.
 */
export class ListCache implements ComputedLists {
  readonly lake: Lake;
  readonly #compute: ComputeList;
  readonly #lists: Shelf<readonly Entry[]>;
  readonly #work = new SharedWork<Computation>();

  constructor(lake: Lake, compute: ComputeList, cache: LakeCache) {
    this.lake = lake;
    this.#compute = compute;
    this.#lists = cache.shelf();
  }

  async part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ListPart<ItemOf<Q>>> {
    const { wanted, asOf, from, count } = query;
    // parts beyond the cached depth are computed one by one
    const isDeep = from + count > KEPT_DEPTH;
    const name = isDeep ? `${nameOf(wanted)} ${asOf} ${from} ${count}` : nameOf(wanted);
    for (;;) {
      const cached = this.#fromMemory(query);
      if (cached !== undefined) return cached;
      const compute = (unwanted: AbortSignal) => this.#computePart(query, unwanted);
      const computed = await this.#work.do(name, compute, query.gone?.());
      if (!isDeep && computed.query !== query) continue; // another instant or part
      const { entry, items } = computed;
      const version = entry.version === lakeVersion(this.lake) ? entry.version : null;
      return { total: entry.total, items: items as ItemOf<Q>[], asOf, version };
    }
  }

  async #computePart(query: PartQuery<ListQuery>, unwanted: AbortSignal): Promise<Computation> {
    const { wanted, asOf, from, count, owner, isPage } = query;
    const before = lakeVersion(this.lake);
    const requester = { owner, unwanted, isPage };
    const { items, ...list } = await this.#compute({ wanted, asOf, from, count }, requester);
    const version = lakeVersion(this.lake) === before ? before : null;
    const entry = { ...list, version, from: asOf };
    if (version !== null) this.#keep(wanted, entry);
    return { query, entry, items };
  }

  #keep(wanted: ListQuery, entry: Entry): void {
    const name = nameOf(wanted);
    const others = (this.#lists.get(name) ?? []).filter(({ version }) => version === entry.version);
    const kept = [...others.slice(1 - MOST_INSTANTS), entry];
    const bytes = kept.reduce((sum, { rows }) => sum + rows.byteLength + ENTRY_BYTES, 0);
    this.#lists.set(name, kept, bytes);
  }

  #fromMemory<Q extends ListQuery>(query: PartQuery<Q>): ListPart<ItemOf<Q>> | undefined {
    const { wanted, asOf, from, count } = query;
    return this.lake.sqlite.transaction(() => {
      const version = lakeVersion(this.lake);
      const width = rowWidth(wanted);
      const entry = (this.#lists.get(nameOf(wanted)) ?? []).find(
        (each) =>
          isStillTrue(each, { version, at: asOf }) &&
          width * Math.min(from + count, each.total) <= each.rows.length,
      );
      if (entry === undefined) return undefined;
      const rows = entry.rows.subarray(width * from, width * (from + count));
      const items = itemsOf(this.lake, wanted, { rows, before: from, asOf }) as ItemOf<Q>[];
      return { total: entry.total, items, asOf, version };
    })();
  }
}
