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

/** A list, and what it took; null where it is so cheap that it is never given when it may be another. */
export interface PricedList extends Omit<ComputedList, 'costMs'> {
  readonly costMs: number | null;
}

/** Computes a list, here or elsewhere. */
export type ComputeList = (
  query: ListRowsQuery,
  requester: Requester,
) => PricedList | Promise<PricedList>;

interface Entry extends Validity {
  readonly total: number;
  readonly rows: Float64Array;
  readonly isNow: boolean; // whether the instant it was computed for was the present then
  readonly madeAt: number; // monotonic ms
  /** What it took; null where it is cheap. */
  readonly costMs: number | null;
}

/** What computing brought: the list to keep, and the part that was asked for. */
interface Made {
  readonly query: PartQuery<ListQuery>;
  readonly entry: Entry;
  readonly items: ComputedList['items'];
}

/** Instants and pages of one list that are kept beside each other. */
const KEPT_OF_ONE = 8;
const ENTRY_BYTES = 200;

/**
 * A costly list is given on for `PATIENCE` times what it took, to whoever asks for the present or for
 * its very instant, so that a large lake is not computed anew for every request while it is synced;
 * and for a minute at least where nothing was written and only the clock moved on. Who is given one
 * older than `AHEAD` times what it took has the next one computed meanwhile: where a list is asked for
 * now and then, nobody waits for it.
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
 * Computed lists, from memory while they are still true. One is computed again when the lake was
 * written to, and when an instant is asked at which a snapshot comes into or leaves one of its windows,
 * so what is answered is what computing it would give. One exception, which its `asOf` tells: a costly
 * list stays as it was for a while, by `clock`, and is computed ahead of its end. Equal lists wanted
 * at the same time are computed once; one that nobody waits for any more is kept all the same when it
 * was under way.
 */
export class ListCache {
  readonly lake: Lake;
  readonly #compute: ComputeList;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lists: Shelf<readonly Entry[]>;
  readonly #work = new SharedWork<Made>();

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

  /** Part of a list, from memory or computed; equal ones wanted at the same time once. */
  async part<Q extends ListQuery>(query: PartQuery<Q>): Promise<ComputedPart<ItemOf<Q>>> {
    const { wanted, asOf, from, count } = query;
    const deep = from + count > KEPT_DEPTH ? ` ${from} ${count}` : '';
    const name = `${nameOf(wanted)} ${query.isNow ? 'now' : asOf}${deep}`;
    const compute = (gone?: AbortSignal): Promise<Made> =>
      this.#work.do(name, (unwanted) => this.#make(query, unwanted), gone);
    for (;;) {
      const held = this.#fromMemory(query);
      if (held !== undefined) {
        // who waits for one is told when it fails; nobody waits for this one yet
        if (held.part.isStale && this.#isAging(held.entry)) compute().catch(() => {});
        return held.part;
      }
      const made = await compute(query.gone?.());
      const version = lakeVersion(this.lake);
      if (this.#answers(made, query, version))
        return this.#partOf(query, made.entry, made.items, version);
    }
  }

  /** Whether what somebody had computed is what this one wants. */
  #answers({ query: of, entry }: Made, query: PartQuery<ListQuery>, version: number): boolean {
    if (of === query) return true;
    const isSamePart = of.from === query.from && of.count === query.count;
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
    // by both clocks: that of the day may go on while the monotonic one stands (a machine asleep)
    return (
      this.#clock.monotonic() - entry.madeAt < patienceMs &&
      entry.from <= asOf &&
      asOf - entry.from < patienceMs &&
      ((isNow && entry.isNow) || asOf < entry.until)
    );
  }

  #isAging({ costMs, madeAt }: Entry): boolean {
    return this.#clock.monotonic() - madeAt >= AHEAD * (costMs ?? 0);
  }

  /** The kept list that answers: one that holds, else a costly one made just now. */
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

  async #make(query: PartQuery<ListQuery>, unwanted: AbortSignal): Promise<Made> {
    const { wanted, asOf, from, count, isNow, owner, isPage } = query;
    const before = lakeVersion(this.lake);
    const computed = await this.#compute(
      { wanted, asOf, from, count },
      { owner, unwanted, isPage },
    );
    const { items, ...list } = computed;
    const version = lakeVersion(this.lake) === before ? before : null;
    const entry = { ...list, version, from: asOf, isNow, madeAt: this.#clock.monotonic() };
    if (version !== null || list.costMs !== null) this.#keep(wanted, entry);
    return { query, entry, items };
  }

  #partOf<Q extends ListQuery>(
    query: PartQuery<Q>,
    entry: Entry,
    items: Made['items'],
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
