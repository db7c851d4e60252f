import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';

/** Dependencies of a store. */
export interface StoreDeps {
  /** The `AWS_*` variables. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Bytes of a part of a multipart upload; default 16 MiB. */
  readonly partBytes?: number;
}

/** An object of a listing. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: number; // Unix milliseconds, by the store's clock
}

/** An open exported file. It stays readable if an export replaces it. */
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
 * @throws TablesError, `transient` if a retry may succeed
 */
export interface TableStore extends Disposable {
  /** Address for messages, without secrets. */
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
  /** Writes an object, replacing an existing one. */
  replace(key: string, bytes: Uint8Array): Promise<void>;
  /** Uploads a file. Resumes an interrupted upload. */
  copyIn(key: string, file: OpenFile): Promise<void>;
  /** Removes objects. Missing ones are ignored. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes remains of interrupted uploads older than `before` (Unix ms). */
  tidy(prefix: string, before: number): Promise<void>;
  close(): void;
}
