import { lakeVersion } from '../../lake/lake-version.ts';
import type { Lake } from '../../lake/open.ts';
import {
  type ChangeQuery,
  holdsUntil,
  NEXT_SNAPSHOT,
  newestSnapshotAt,
} from '../../lake/read/validity.ts';
import {
  isStillTrue,
  type LakeCache,
  type Moment,
  type Shelf,
  type Validity,
} from './lake-cache.ts';

interface Found extends Validity {
  readonly instant: number | null;
}

/** Cached instants at which responses change. */
export class ChangeTimes {
  readonly #lake: Lake;
  readonly #found: Shelf<Found>;

  constructor(lake: Lake, cache: LakeCache) {
    this.#lake = lake;
    this.#found = cache.shelf();
  }

  /** Newest snapshot of any video until `at`. Unix ms. */
  newestSnapshot(at: number): number | null {
    const moment = this.#momentOf(at);
    return this.#read('newest', moment, () => {
      const newest = newestSnapshotAt(this.#lake, at);
      return { from: newest ?? at, until: this.#next(NEXT_SNAPSHOT, moment), instant: newest };
    });
  }

  /** First instant after `at` at which a response over these windows can change. */
  holdsUntil(at: number, windowsMs: readonly number[]): number {
    const moment = this.#momentOf(at);
    return holdsUntil(at, windowsMs, (query) => this.#next(query, moment));
  }

  #momentOf(at: number): Moment {
    return { version: lakeVersion(this.#lake), at };
  }

  #next({ name, next }: ChangeQuery, moment: Moment): number {
    const instant = this.#read(name, moment, () => {
      const until = next(this.#lake, moment.at);
      return { from: moment.at, until, instant: until };
    });
    return instant ?? Number.POSITIVE_INFINITY;
  }

  #read(name: string, moment: Moment, find: () => Omit<Found, 'version'>): number | null {
    const held = this.#found.get(name);
    if (held !== undefined && isStillTrue(held, moment)) return held.instant;
    const found = find();
    this.#found.set(name, { ...found, version: moment.version }, 32);
    return found.instant;
  }
}
