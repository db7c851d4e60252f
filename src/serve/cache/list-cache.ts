import type { Clock } from '../../base/clock.ts';
import { MINUTE_MS } from '../../base/durations.ts';
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
import type { ComputedPart, PartQuery } from '../../lake/lists/list-page.ts';
import { KEPT_DEPTH } from '../../lake/lists/ranking.ts';
import type { Lake } from '../../lake/open.ts';
import { isStillTrue, type LakeCache, type Shelf, type Validity } from './lake-cache.ts';
import type { Requester } from './reader-thread.ts';
import { SharedWork } from './shared-work.ts';

export interface PricedList extends Omit<ComputedList, 'costMs'> {
  /** Computing time; null for cheap lists, which are never served stale. */
  readonly costMs: number | null;
}

export type ComputeList = (
  query: ListRowsQuery,
  requester: Requester,
) => PricedList | Promise<PricedList>;

interface Entry extends Validity {
  readonly total: number;
  readonly rows: Float64Array;
  readonly isNow: boolean; // computed for the current time
  readonly computedAt: number; // monotonic ms
  readonly costMs: number | null;
}

/** The list to cache, and the requested part. */
interface Computation {
  readonly query: PartQuery<ListQuery>;
  readonly entry: Entry;
  readonly items: ComputedList['items'];
}

/** Cached instants and depths per list. */
const KEPT_OF_ONE = 8;
const ENTRY_BYTES = 200;

/**
 * A slow list may be served stale for `PATIENCE` times its computing time, and for at least a minute if
 * only the clock moved on. Otherwise each request during a sync would compute it. After `AHEAD` times its
 * computing time, a request also starts the next computation.
 */
const PATIENCE = 20;
const PATIENT_MS = MINUTE_MS;
const AHEAD = 10;

const nameOf = (wanted: ListQuery): string =>
  `${wanted.list} ${wanted.platform} ${windowsOf(wanted)[0]}`;

const covers = ({ rows, total }: Entry, { wanted, from, count }: ListRowsQuery): boolean => {
  const depth = rows.length / rowWidth(wanted);
  return from + count <= depth || depth === total || from >= total;
};

/**
 * Cache of computed lists. An entry is valid until the lake changes or a snapshot enters or leaves one of
 * its windows. Slow lists may be stale for a while, with their earlier `asOf`. Concurrent requests share
 * one computation.
 */
export class ListCache {
  readonly lake: Lake;
  readonly #compute: ComputeList;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lists: Shelf<readonly Entry[]>;
  readonly #work = new SharedWork<Computation>();

  constructor(
    lake: Lake,
    compute: ComputeList,
    { clock, cache }: { clock: Pick<Clock, 'monotonic'>; cache: LakeCache },
  ) {
    this.lake = lake;
    this.#compute = compute;
    this.#clock = clock;
    this.#lists = cache.shelf();
  }

  async part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ComputedPart<ItemOf<Q>>> {
    const { wanted, asOf, from, count } = query;
    const deep = from + count > KEPT_DEPTH ? ` ${from} ${count}` : '';
    const name = `${nameOf(wanted)} ${query.isNow ? 'now' : asOf}${deep}`;
    const compute = (gone?: AbortSignal): Promise<Computation> =>
      this.#work.do(name, (unwanted) => this.#computePart(query, unwanted), gone);
    for (;;) {
      const held = this.#fromMemory(query);
      if (held !== undefined) {
        // an error reaches the requests that wait for the computation
        if (held.part.isStale && this.#isAging(held.entry)) compute().catch(() => {});
        return held.part;
      }
      const computed = await compute(query.gone?.());
      const version = lakeVersion(this.lake);
      if (this.#answers(computed, query, version))
        return this.#partOf(query, computed.entry, computed.items, version);
    }
  }

  /** True if a shared computation fits the query. */
  #answers(
    { query: computed, entry }: Computation,
    query: PartQuery<ListQuery>,
    version: number,
  ): boolean {
    if (computed === query) return true;
    const isSamePart = computed.from === query.from && computed.count === query.count;
    return (
      isSamePart && (this.#isExact(entry, query, version) || this.#isPatient(entry, query, version))
    );
  }

  #isExact(entry: Entry, { asOf }: PartQuery<ListQuery>, version: number): boolean {
    return isStillTrue(entry, { version, at: asOf });
  }

  #isPatient(entry: Entry, { asOf, isNow }: PartQuery<ListQuery>, version: number): boolean {
    if (entry.costMs === null) return false;
    const leastMs = entry.version === version ? PATIENT_MS : 0;
    const patienceMs = Math.max(leastMs, PATIENCE * entry.costMs);
    // both clocks, as the monotonic one stops while the machine sleeps
    return (
      this.#clock.monotonic() - entry.computedAt < patienceMs &&
      entry.from <= asOf &&
      asOf - entry.from < patienceMs &&
      ((isNow && entry.isNow) || asOf < entry.until)
    );
  }

  #isAging({ costMs, computedAt }: Entry): boolean {
    return this.#clock.monotonic() - computedAt >= AHEAD * (costMs ?? 0);
  }

  /** A valid entry, otherwise a slow one that may be stale. */
  #find(query: PartQuery<ListQuery>, version: number): Entry | undefined {
    const kept = this.#lists.get(nameOf(query.wanted)) ?? [];
    const near = kept.filter((entry) => covers(entry, query));
    return (
      near.find((entry) => this.#isExact(entry, query, version)) ??
      near.findLast((entry) => this.#isPatient(entry, query, version))
    );
  }

  #keep(wanted: ListQuery, entry: Entry): void {
    const name = nameOf(wanted);
    const beside = (this.#lists.get(name) ?? []).filter(({ version }) => version === entry.version);
    const kept = [...beside.slice(1 - KEPT_OF_ONE), entry];
    const bytes = kept.reduce((sum, { rows }) => sum + rows.byteLength + ENTRY_BYTES, 0);
    this.#lists.set(name, kept, bytes);
  }

  async #computePart(query: PartQuery<ListQuery>, unwanted: AbortSignal): Promise<Computation> {
    const { wanted, asOf, from, count, isNow, owner, isPage } = query;
    const before = lakeVersion(this.lake);
    const computed = await this.#compute(
      { wanted, asOf, from, count },
      { owner, unwanted, isPage },
    );
    const { items, ...list } = computed;
    const version = lakeVersion(this.lake) === before ? before : null;
    const entry = { ...list, version, from: asOf, isNow, computedAt: this.#clock.monotonic() };
    if (version !== null || list.costMs !== null) this.#keep(wanted, entry);
    return { query, entry, items };
  }

  #partOf<Q extends ListQuery>(
    query: PartQuery<Q>,
    entry: Entry,
    items: Computation['items'],
    version: number,
  ): ComputedPart<ItemOf<Q>> {
    const isStale = !this.#isExact(entry, query, version);
    const asOf = isStale ? entry.from : query.asOf;
    return { total: entry.total, items: items as ItemOf<Q>[], asOf, isStale, version };
  }

  #fromMemory<Q extends ListQuery>(
    query: PartQuery<Q>,
  ): { part: ComputedPart<ItemOf<Q>>; entry: Entry } | undefined {
    return this.lake.sqlite.transaction(() => {
      const version = lakeVersion(this.lake);
      const entry = this.#find(query, version);
      if (entry === undefined) return undefined;
      const { wanted, from, count } = query;
      const width = rowWidth(wanted);
      const rows = entry.rows.subarray(width * from, width * (from + count));
      const asOf = this.#isExact(entry, query, version) ? query.asOf : entry.from;
      const items = itemsOf(this.lake, wanted, { rows, before: from, asOf });
      return { part: this.#partOf(query, entry, items, version), entry };
    })();
  }
}
