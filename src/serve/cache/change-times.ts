import {
  type ChangeQuery,
  holdsUntil,
  NEXT_SNAPSHOT,
  newestSnapshotAt,
} from '../../history/validity.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import { isStillTrue, type LakeCache, type Shelf, type Validity } from './lake-cache.ts';

interface Found extends Validity {
  readonly instant: number | null;
}

/** When the lake's answers change, from memory while what was read is still true. */
export class ChangeTimes {
  readonly #lake: Lake;
  readonly #found: Shelf<Found>;

  constructor(lake: Lake, cache: LakeCache) {
    this.#lake = lake;
    this.#found = cache.shelf();
  }

  #read(name: string, at: number, find: () => Omit<Found, 'version'>): number | null {
    const version = lakeVersion(this.#lake);
    const held = this.#found.get(name);
    if (held !== undefined && isStillTrue(held, { version, at })) return held.instant;
    const found = find();
    this.#found.set(name, { ...found, version }, 32);
    return found.instant;
  }

  readonly #next = ({ name, next }: ChangeQuery, at: number): number =>
    this.#read(name, at, () => {
      const until = next(this.#lake, at);
      return { from: at, until, instant: until };
    }) ?? Number.POSITIVE_INFINITY;

  /** The newest snapshot of any video at or before `at` (Unix ms). */
  newestSnapshot(at: number): number | null {
    return this.#read('newest', at, () => {
      const newest = newestSnapshotAt(this.#lake, at);
      return { from: newest ?? at, until: this.#next(NEXT_SNAPSHOT, at), instant: newest };
    });
  }

  /** The first instant after `at` at which an answer over these windows can differ. */
  holdsUntil(at: number, windowsMs: readonly number[]): number {
    return holdsUntil(at, windowsMs, this.#next);
  }
}
