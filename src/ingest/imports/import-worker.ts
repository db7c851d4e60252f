import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { messageOf } from '../../base/errors.ts';
import { type FileBatch, fileBatches, type ImportSource } from './import-batches.ts';
import { type KnownPlatform, knownPlatformIn } from './known-platform.ts';

// The thread that reads and checks the files of an import, so that the one that writes does nothing
// else. See import-reader.ts.

/** What the thread is started with. */
export interface ReadingStart {
  readonly lakePath: string;
  /** Batches that may lie ready, read ahead of the one that is being written. */
  readonly ahead: number;
}

/** What the thread is told: a file to read, once the one before is; that a batch was taken. */
export type ReadingOrder = { readonly read: ImportSource } | { readonly taken: true };

/** What the thread says: the batches of the file in their order, or why it cannot go on. */
export type ReadingReport =
  | { readonly batch: FileBatch }
  | { readonly failed: string; readonly detail: string | undefined };

const { lakePath, ahead } = workerData as ReadingStart;

/** Looks videos up with a connection of this thread's own, made for the first id that needs it. */
class VideoPlatforms {
  #find: KnownPlatform | undefined;

  of(id: string): Platform | undefined {
    this.#find ??= knownPlatformIn(new Database(lakePath, { readonly: true, timeout: 10_000 }));
    return this.#find(id);
  }
}

const platforms = new VideoPlatforms();
let room = ahead;
let onRoom = (): void => {};

const report = (message: ReadingReport): void => parentPort?.postMessage(message);

const read = async (source: ImportSource): Promise<void> => {
  for await (const batch of fileBatches(source, (id) => platforms.of(id))) {
    if (room === 0) await new Promise<void>((resolve) => (onRoom = resolve));
    room -= 1;
    report({ batch });
  }
};

parentPort?.on('message', (order: ReadingOrder) => {
  if ('taken' in order) {
    room += 1;
    onRoom();
  } else
    read(order.read).catch((error) => {
      const detail = error instanceof Error ? error.stack : undefined;
      report({ failed: messageOf(error), detail });
    });
});
