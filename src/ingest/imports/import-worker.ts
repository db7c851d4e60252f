import Database from 'better-sqlite3';
import { answerRequests, threadStart } from '../../base/thread.ts';
import {
  type FileBatch,
  fileBatches,
  type ImportSource,
  knownPlatformIn,
} from './import-batches.ts';
import type { KnownPlatform } from './import-records.ts';

// Reads and checks the files of an import while the main thread writes.

/** Start message of the thread. */
export interface ImportStart {
  readonly lakePath: string;
}

/** Opens a file, or asks for the next batch of the open one. */
export type ImportRequest = { readonly open: ImportSource } | 'next';

const { lakePath } = threadStart<ImportStart>();
let findPlatform: KnownPlatform | undefined;
let batches: AsyncIterator<FileBatch> | undefined;

/** Connects for the first id that needs it. */
const platformOf: KnownPlatform = (id) => {
  findPlatform ??= knownPlatformIn(new Database(lakePath, { readonly: true, timeout: 10_000 }));
  return findPlatform(id);
};

answerRequests(async (request: ImportRequest): Promise<FileBatch> => {
  if (request !== 'next') batches = fileBatches(request.open, platformOf)[Symbol.asyncIterator]();
  const { value, done } = (await batches?.next()) ?? { done: true };
  if (done === true) throw new Error('No file is open.');
  return value;
});
