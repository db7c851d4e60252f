import type { Clock } from '../../clock.ts';
import { MINUTE_MS } from '../../durations.ts';
import {
  type ComputedList,
  type ItemOf,
  itemsOf,
  KEPT_DEPTH,
  type ListAsk,
  type ListQuestion,
  rowWidth,
  windowsOf,
} from '../../history/computed-list.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import { sharedWork } from './shared-work.ts';

/** A list, and what it took; null where it is so cheap that it is never given when it may be another. */
export interface PricedList extends Omit<ComputedList, 'costMs'> {
  readonly costMs: number | null;
}

/** Computes a list, here or elsewhere. `unwanted` tells when nobody waits for it any more. */
export type ComputeList = (ask: ListAsk, unwanted: AbortSignal) => PricedList | Promise<PricedList>;

/** A part of a list, and how exactly its instant is meant. */
export interface PartAsk<Q extends ListQuestion> extends ListAsk<Q> {
  /** True when `asOf` is only the present: a costly list made a moment ago will do. */
  readonly isNow: boolean;
  /** Tells when whoever asks has gone. */
  readonly gone?: (() => AbortSignal) | undefined;
}

/** Part of a computed list, true at `asOf`; `isStale`: reading the lake anew, now, may give another. */
export interface ListPart<T> {
  readonly total: number;
  readonly items: T[];
  readonly asOf: number;
  readonly isStale: boolean;
  readonly version: number;
}

/** The computed lists of one lake. */
export interface KeptLists {
  readonly lake: Lake;
  part<Q extends ListQuestion>(ask: PartAsk<Q>): Promise<ListPart<ItemOf<Q>>>;
}

interface Entry {
  readonly total: number;
  readonly rows: Float64Array;
  readonly version: number | null; // of the lake it was computed from; null: written to meanwhile
  readonly from: number; // Unix ms; the instant it was computed for
  readonly until: number; // Unix ms; the first instant it may no longer hold
  readonly isNow: boolean; // whether that instant was the present then
  readonly madeAt: number; // monotonic ms
  /** What it took; null where it is cheap. */
  readonly costMs: number | null;
}

/** What computing brought: the list to keep, and the part that was asked for. */
interface Made {
  readonly ask: PartAsk<ListQuestion>;
  readonly entry: Entry;
  readonly items: ComputedList['items'];
}

/** How many computed lists are kept. */
const KEPT = 64;

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

const windowName = (question: ListQuestion): string =>
  `${question.list} ${question.platform} ${windowsOf(question)[0]}`;

/** Computed lists by name, the least recently asked name first, at most `KEPT` of them. */
const keeper = () => {
  const entries = new Map<string, readonly Entry[]>();
  let count = 0;
  const set = (name: string, of: readonly Entry[]): void => {
    count += of.length - (entries.get(name)?.length ?? 0);
    entries.delete(name); // and set again: the map's order is the order of use
    if (of.length > 0) entries.set(name, of);
  };
  return {
    of: (name: string): readonly Entry[] => {
      const found = entries.get(name) ?? [];
      set(name, found);
      return found;
    },
    add: (name: string, entry: Entry): void => {
      const before = entries.get(name) ?? [];
      set(name, [...before.filter(({ version }) => version === entry.version), entry]);
      for (const [oldest, of] of entries) {
        const dropped = Math.min(of.length, count - KEPT);
        if (dropped <= 0) break;
        count -= dropped;
        if (dropped === of.length) entries.delete(oldest);
        else entries.set(oldest, of.slice(dropped));
      }
    },
  };
};

/**
 * Computed lists, from memory while they hold. One is computed again when the lake was written to, and
 * when an instant is asked at which a look comes into or leaves one of its windows, so what is answered
 * is what computing it would give. One exception, which its `asOf` tells: a costly list stays as it was
 * for a while, by `clock`, and is computed ahead of its end. Equal lists wanted at the same time are computed once; one that nobody waits
 * for any more is kept all the same when it was under way.
 */
export const keptLists = (
  lake: Lake,
  computeList: ComputeList,
  clock: Pick<Clock, 'monotonic'>,
): KeptLists => {
  const kept = keeper();
  const share = sharedWork<Made>();

  const isExact = (entry: Entry, { asOf }: PartAsk<ListQuestion>, version: number): boolean =>
    entry.version === version && entry.from <= asOf && asOf < entry.until;

  const isPatient = (
    entry: Entry,
    { asOf, isNow }: PartAsk<ListQuestion>,
    version: number,
  ): boolean => {
    if (entry.costMs === null) return false;
    const leastMs = entry.version === version ? PATIENT_MS : 0;
    const patienceMs = Math.max(leastMs, PATIENCE * entry.costMs);
    const isRecent = isNow && entry.isNow && asOf - entry.from < patienceMs;
    return (
      clock.monotonic() - entry.madeAt < patienceMs &&
      entry.from <= asOf &&
      (isRecent || asOf < entry.until)
    );
  };

  const isAging = ({ costMs, madeAt }: Entry): boolean =>
    clock.monotonic() - madeAt >= AHEAD * (costMs ?? 0);

  const covers = ({ rows, total }: Entry, { question, from, count }: ListAsk): boolean => {
    const depth = rows.length / rowWidth(question);
    return from + count <= depth || depth === total || from >= total;
  };

  /** The kept list that answers `ask`: one that holds, else a costly one made just now. */
  const find = (ask: PartAsk<ListQuestion>, version: number): Entry | undefined => {
    const near = kept.of(windowName(ask.question)).filter((entry) => covers(entry, ask));
    return (
      near.find((entry) => isExact(entry, ask, version)) ??
      near.findLast((entry) => isPatient(entry, ask, version))
    );
  };

  const make = async (ask: PartAsk<ListQuestion>, unwanted: AbortSignal): Promise<Made> => {
    const { question, asOf, from, count, isNow } = ask;
    const before = lakeVersion(lake);
    const { items, ...list } = await computeList({ question, asOf, from, count }, unwanted);
    const version = lakeVersion(lake) === before ? before : null;
    const entry = { ...list, version, from: asOf, isNow, madeAt: clock.monotonic() };
    if (version !== null || list.costMs !== null) kept.add(windowName(question), entry);
    return { ask, entry, items };
  };

  const partOf = <Q extends ListQuestion>(
    ask: PartAsk<Q>,
    { entry, items, version }: { entry: Entry; items: Made['items']; version: number },
  ): ListPart<ItemOf<Q>> => {
    const isStale = !isExact(entry, ask, version);
    const asOf = isStale ? entry.from : ask.asOf;
    return { total: entry.total, items: items as ItemOf<Q>[], asOf, isStale, version };
  };

  const fromMemory = <Q extends ListQuestion>(
    ask: PartAsk<Q>,
  ): { part: ListPart<ItemOf<Q>>; entry: Entry } | undefined =>
    lake.sqlite.transaction(() => {
      const version = lakeVersion(lake);
      const entry = find(ask, version);
      if (entry === undefined) return undefined;
      const { question, from, count } = ask;
      const width = rowWidth(question);
      const rows = entry.rows.subarray(width * from, width * (from + count));
      const asOf = isExact(entry, ask, version) ? ask.asOf : entry.from;
      const items = itemsOf(lake, question, { rows, before: from, asOf });
      return { part: partOf(ask, { entry, items, version }), entry };
    })();

  const part = async <Q extends ListQuestion>(ask: PartAsk<Q>): Promise<ListPart<ItemOf<Q>>> => {
    const { question, asOf, from, count } = ask;
    const place = from + count > KEPT_DEPTH ? ` ${from} ${count}` : '';
    const name = `${windowName(question)} ${ask.isNow ? 'now' : asOf}${place}`;
    const compute = (gone?: AbortSignal): Promise<Made> =>
      share(name, (unwanted) => make(ask, unwanted), gone);
    for (;;) {
      const held = fromMemory(ask);
      if (held !== undefined) {
        // who waits for one is told when it fails; nobody waits for this one yet
        if (held.part.isStale && isAging(held.entry)) compute().catch(() => {});
        return held.part;
      }
      const made = await compute(ask.gone?.());
      const { entry, items } = made;
      const version = lakeVersion(lake);
      const isSamePart = made.ask.from === from && made.ask.count === count;
      const isOwn = made.ask === ask;
      if (isOwn || (isSamePart && (isExact(entry, ask, version) || isPatient(entry, ask, version))))
        return partOf(ask, { entry, items, version });
    }
  };

  return { lake, part };
};
