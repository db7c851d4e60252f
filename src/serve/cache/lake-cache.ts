import { LRUCache } from 'lru-cache';

/** A state of the lake and an instant of the responses' clock: what a cached value must be true of. */
export interface Moment {
  /** Of the lake (`lakeVersion`). */
  readonly version: number;
  readonly at: number; // Unix ms
}

/** For which moments a value holds. */
export interface Validity {
  readonly version: number | null; // null: the lake was written to meanwhile, so for none
  readonly from: number; // Unix ms
  readonly until: number; // Unix ms, exclusive
}

/** True until the lake is written to, at whatever instant. */
export const ALWAYS: Pick<Validity, 'from' | 'until'> = {
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
};

/** The one definition of "still true": computing the value anew at this moment would give it again. */
export const isStillTrue = (
  { version, from, until }: Validity,
  { version: present, at }: Moment,
): boolean => version === present && from <= at && at < until;

/** About what an entry takes beside its value. */
const ENTRY_BYTES = 300;

/** Values of one kind in a cache that several kinds share. */
export interface Shelf<T> {
  /** The value, which is then the one used last. */
  get(name: string): T | undefined;
  /** Puts a value of so many bytes in, in the place of an earlier one. */
  set(name: string, value: T, bytes: number): void;
  delete(name: string): void;
}

/** What of a shelf leaves the cache together with its share of the memory. */
interface Entry {
  readonly drop: () => void;
}

/**
 * All that the service remembers of its lake (responses, lists, counts, instants), bounded by one number
 * of bytes: what was used longest ago goes first, of whatever kind it is.
 */
export class LakeCache {
  readonly #entries: LRUCache<string, Entry>;
  #shelves = 0;

  constructor(bytes: number) {
    this.#entries = new LRUCache({ maxSize: bytes, dispose: ({ drop }) => drop() });
  }

  /** A new, empty shelf. */
  shelf<T>(): Shelf<T> {
    const entries = this.#entries;
    const prefix = `${this.#shelves++} `;
    const values = new Map<string, T>();
    return {
      get: (name) => {
        const value = values.get(name);
        if (value !== undefined) entries.get(prefix + name);
        return value;
      },
      set: (name, value, bytes) => {
        entries.delete(prefix + name);
        const size = bytes + 2 * name.length + ENTRY_BYTES;
        entries.set(prefix + name, { drop: () => void values.delete(name) }, { size });
        if (entries.has(prefix + name)) values.set(name, value); // else it is larger than all of it
      },
      delete: (name) => void entries.delete(prefix + name),
    };
  }
}
