import { LRUCache } from 'lru-cache';

/** A version of the lake and an instant, for which a cached value must be valid. */
export interface Moment {
  /** Of the lake (`lakeVersion`). */
  readonly version: number;
  readonly at: number; // Unix ms
}

export interface Validity {
  readonly version: number | null; // null: never valid, as the lake changed during the read
  readonly from: number; // Unix ms
  readonly until: number; // Unix ms, exclusive
}

/** True if computing the value again would return the same. */
export const isStillTrue = (
  { version, from, until }: Validity,
  { version: currentVersion, at }: Moment,
): boolean => version === currentVersion && from <= at && at < until;

/** Approximate memory of an entry without its value. */
const ENTRY_BYTES = 300;

/** Values of one kind in the shared cache. */
export interface Shelf<T> {
  get(name: string): T | undefined;
  /** @param bytes approximate memory of the value */
  set(name: string, value: T, bytes: number): void;
  delete(name: string): void;
}

/** One LRU cache for responses, lists, pages, counts and instants, with a limit in bytes. */
export class LakeCache {
  readonly #entries: LRUCache<string, NonNullable<unknown>>;
  #shelves = 0;

  constructor(bytes: number) {
    this.#entries = new LRUCache({ maxSize: bytes });
  }

  shelf<T extends NonNullable<unknown>>(): Shelf<T> {
    const entries = this.#entries;
    const prefix = `${this.#shelves++} `;
    return {
      get: (name) => {
        const value = entries.get(prefix + name);
        return value as T | undefined; // a shelf holds values of one type
      },
      set: (name, value, bytes) => {
        const size = bytes + 2 * name.length + ENTRY_BYTES;
        entries.delete(prefix + name); // setting the same value again would keep its old size
        entries.set(prefix + name, value, { size }); // not stored if it exceeds the limit
      },
      delete: (name) => void entries.delete(prefix + name),
    };
  }
}
