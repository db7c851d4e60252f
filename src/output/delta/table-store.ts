import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';

/** Dependencies of a store. */
export interface StoreDeps {
  /** The `AWS_*` variables. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Bytes of one part of what is uploaded in parts, a file of more than four of them; default 16 MiB. */
  readonly partBytes?: number;
}

/** An object as a listing shows it. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: number; // Unix milliseconds, by the store's clock
}

/** An exported file, open: what was opened stays readable when an export replaces the file. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly path: string;
  readonly bytes: number;
}

/** Bytes of an object, from 0. */
export interface ByteRange {
  readonly from: number;
  readonly bytes: number;
}

/**
 * Store of published tables: objects under keys with `/`, below one address. An object appears
 * whole or not at all. Every method can be repeated after a kill or an error.
 * @throws TablesError in words, `transient` if the same may succeed later
 */
export interface TableStore extends Disposable {
  /** The address as messages show it; holds no secret. */
  readonly url: string;
  /** The bytes of an object, or of a range inside it; undefined if it does not exist. At most 32 MiB. */
  read(key: string, range?: ByteRange): Promise<Buffer | undefined>;
  /** Objects whose key starts with `prefix`, and sorts after `after` where given, in order of their keys. */
  list(prefix: string, after?: string): AsyncIterable<StoredObject>;
  /** Size of an object in bytes; undefined if it does not exist. */
  sizeOf(key: string): Promise<number | undefined>;
  /**
   * Creates a missing object atomically: of several callers, one gets true. After an error the
   * object may exist or not.
   */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Writes an object, in the place of one that stands. */
  replace(key: string, bytes: Uint8Array): Promise<void>;
  /** Copies a file in; goes on where an earlier attempt was cut off. */
  copyIn(key: string, file: OpenFile): Promise<void>;
  /** Removes objects; those that are not there are no matter. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes what attempts left that were cut off before `before`. */
  tidy(prefix: string, before: number): Promise<void>;
  close(): void;
}
