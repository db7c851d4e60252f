import { systemClock } from '../clock.ts';
import { lakeVersion } from './lake-version.ts';
import type { Lake } from './open.ts';
import { holdsUntil } from './validity.ts';

/** The top of a computed list and how many matched. */
export interface RankedList<T> {
  readonly total: number;
  readonly top: readonly T[];
}

/** Computes a list as of an instant, at least its first `depth` places. */
export type ComputeList<T> = (asOf: number, depth: number) => RankedList<T>;

/** The first `depth` of many in the order of `compare`, without holding them all; and how many came. */
export const topOf = <T>(
  many: Iterable<T>,
  compare: (a: T, b: T) => number,
  depth: number,
): { total: number; top: T[] } => {
  let top: T[] = [];
  let total = 0;
  for (const one of many) {
    total += 1;
    top.push(one);
    if (top.length >= 2 * depth + 1000) top = top.sort(compare).slice(0, depth);
  }
  return { total, top: top.sort(compare).slice(0, depth) };
};

interface Entry {
  readonly list: RankedList<unknown>;
  readonly version: number; // of the lake it was computed from
  readonly from: number; // Unix ms; the instant it was computed for
  readonly until: number; // Unix ms; the first instant it may no longer hold
  readonly madeAt: number; // monotonic ms
  readonly costMs: number;
}

/** Computed lists of one lake by name, the least recently asked name first. */
interface Kept {
  readonly entries: Map<string, Entry[]>;
  count: number;
}

/** How many computed lists are kept for each lake, and how deep. */
const KEPT = 64;
const KEPT_DEPTH = 5000;

/**
 * A list that took this long is given on for `PATIENCE` times as long after the lake was written
 * to, so that a large lake that is being synced is not computed anew for every request.
 */
const COSTLY_MS = 200;
const PATIENCE = 20;

const lakes = new WeakMap<Lake, Kept>();

/** What a computed list is filed under, and the instant and part of it that is wanted. */
export interface ListAsk {
  readonly name: string;
  readonly asOf: number; // Unix ms
  readonly windowsMs: readonly number[]; // windows before asOf that the list looks at
  readonly from: number; // items before the wanted part
  readonly count: number;
}

/** Part of a computed list, true at `asOf`; `isStale`: the lake was written to since. */
export interface RankedPart<T> {
  readonly total: number;
  readonly part: T[];
  readonly asOf: number;
  readonly isStale: boolean;
}

const isPatient = (entry: Entry): boolean =>
  entry.costMs >= COSTLY_MS && systemClock.monotonic() - entry.madeAt < PATIENCE * entry.costMs;

/** The kept entry that answers `ask`: one that still holds, else a costly one made just now. */
const findEntry = (entries: readonly Entry[], ask: ListAsk, version: number): Entry | undefined => {
  const near = entries.filter((entry) => entry.from <= ask.asOf && ask.asOf < entry.until);
  return near.find((entry) => entry.version === version) ?? near.findLast(isPatient);
};

const makeEntry = (
  lake: Lake,
  ask: ListAsk,
  version: number,
  compute: ComputeList<unknown>,
): Entry => {
  const startedAt = systemClock.monotonic();
  const list = compute(ask.asOf, KEPT_DEPTH);
  const madeAt = systemClock.monotonic();
  return {
    list,
    version,
    from: ask.asOf,
    until: holdsUntil(lake, ask.asOf, ask.windowsMs),
    madeAt,
    costMs: madeAt - startedAt,
  };
};

const dropOldest = (kept: Kept): void => {
  for (const [name, entries] of kept.entries) {
    if (entries.shift() !== undefined) kept.count -= 1;
    if (entries.length === 0) kept.entries.delete(name);
    return;
  }
};

const entryFor = (
  lake: Lake,
  ask: ListAsk,
  version: number,
  compute: ComputeList<unknown>,
): Entry => {
  const kept = lakes.get(lake) ?? { entries: new Map<string, Entry[]>(), count: 0 };
  lakes.set(lake, kept);
  const ofName = kept.entries.get(ask.name) ?? [];
  kept.entries.delete(ask.name); // and set again: the map's order is the order of use
  kept.entries.set(ask.name, ofName);
  const held = findEntry(ofName, ask, version);
  if (held !== undefined) return held;
  const made = makeEntry(lake, ask, version, compute);
  const current = ofName.filter((entry) => entry.version === version);
  kept.count += current.length + 1 - ofName.length;
  kept.entries.set(ask.name, [...current, made]);
  while (kept.count > KEPT) dropOldest(kept);
  return made;
};

/**
 * Part of a computed list, from memory while it still holds. It is computed again when the lake was
 * written to, and when an instant is asked at which a look comes into or leaves one of its windows,
 * so what is answered is what computing it would give. One exception, which its `asOf` tells: a
 * costly list stays as it was for a while after a write.
 */
export const rankedPart = <T>(lake: Lake, ask: ListAsk, compute: ComputeList<T>): RankedPart<T> => {
  const version = lakeVersion(lake);
  const entry = entryFor(lake, ask, version, compute);
  const isStale = entry.version !== version;
  const asOf = isStale ? entry.from : ask.asOf;
  const { total } = entry.list;
  const top = entry.list.top as readonly T[];
  const to = ask.from + ask.count;
  const isHeld = to <= top.length || top.length === total || ask.from >= total;
  const deep = isHeld ? top : compute(asOf, to).top;
  return { total, part: deep.slice(ask.from, to), asOf, isStale };
};
