import { statSync } from 'node:fs';
import { LakeError, messageOf, type TrendlakeError, UsageError } from '../base/errors.ts';
import { commandText } from '../base/installation.ts';

// Prefixes of SQLite codes.
const DAMAGED = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'];
const LOCKED = ['SQLITE_BUSY', 'SQLITE_LOCKED'];
const NOT_WRITABLE = ['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM'];

const ownerOf = (path: string): number | undefined => {
  try {
    return statSync(path).uid;
  } catch {
    return undefined; // its folder may not be entered either
  }
};

/** A file that the operating system keeps from this user. */
const forbiddenError = (cause: unknown, path: string): UsageError => {
  const [owner, user] = [ownerOf(path), process.getuid?.()];
  const why =
    owner === undefined || owner === user
      ? 'its permissions do not allow it'
      : `it belongs to user ${owner} and you are user ${user}`;
  return new UsageError(
    `Could not open ${path}: ${why}. Run trendlake as its owner, or change owner and permissions.`,
    { cause },
  );
};

/**
 * Explains an error of the database driver about the file at `path`; undefined for other errors.
 * Uses the driver's code only, so the driver need not be loaded.
 */
export const lakeErrorOf = (error: unknown, path: string): TrendlakeError | undefined => {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const is = (codes: readonly string[]): boolean =>
    codes.some((known) => code?.startsWith(known) === true);
  const stated = messageOf(error);
  if (code === 'EACCES' || code === 'EPERM') return forbiddenError(error, path);
  if (is(DAMAGED))
    return new LakeError(
      `${path} is damaged (${stated}). It was left as it is: run \`${commandText('doctor')}\`; \`${commandText('doctor --restore')}\` puts the newest backup in its place.`,
      { cause: error },
    );
  if (is(LOCKED))
    return new LakeError(
      `${path} is locked by another program for more than 10 s. Close it (or its open transaction) and try again.`,
      { cause: error, transient: true },
    );
  if (is(NOT_WRITABLE))
    return new UsageError(
      `${path} cannot be opened for writing (${stated}). Give trendlake write access to it and its folder; see that the disk works and has room.`,
      { cause: error },
    );
  if (is(['SQLITE_FULL', 'SQLITE_IOERR']))
    return new LakeError(
      `${path} cannot be written: ${code === 'SQLITE_FULL' ? 'the disk is full' : `the disk failed (${stated})`}. What was committed before is whole. Make room (or see to the disk) and run the command again: it goes on where it stopped.`,
      { cause: error, transient: true },
    );
  return undefined;
};
