import { statSync } from 'node:fs';
import { LakeError } from '../errors.ts';
import type { Lake } from './open.ts';

const inodeOf = ({ path }: Lake): bigint | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

/**
 * Remembers which file a lake is, for whoever keeps it open for long: after a restore it would go on
 * writing to the one that was set aside. Call it right after opening.
 * @returns what throws a LakeError once another file, or none, stands at the lake's path
 */
export const watchPlace = (lake: Lake): (() => void) => {
  const opened = inodeOf(lake);
  return () => {
    if (inodeOf(lake) !== opened)
      throw new LakeError(
        `${lake.path} is no longer the lake that was opened: it was restored or moved. Nothing more is written to that one; start again to work on what stands there now.`,
      );
  };
};
