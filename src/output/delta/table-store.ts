import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';

/** What a store needs of the world. */
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

/**
 * Where published tables are: objects under keys with `/`, below one address. An object appears
 * whole or not at all. Every method is safe to call again after a kill or an error.
 * @throws TablesError in words, `transient` where the same may succeed later
 */
export interface TableStore {
  /** The address as messages show it; holds no secret. */
  readonly url: string;
  /** The bytes of an object; undefined when there is none. */
  read(key: string): Promise<Buffer | undefined>;
  /** Objects whose key starts with `prefix`, and sorts after `after` where given, in order of their keys. */
  list(prefix: string, after?: string): AsyncIterable<StoredObject>;
  /** Bytes of an object; undefined when there is none. */
  sizeOf(key: string): Promise<number | undefined>;
  /**
   * Makes an object where there is none, atomically: of several who try, one gets true.
   * An error leaves it open whether the object was made.
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
