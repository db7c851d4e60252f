import { statSync } from 'node:fs';
import { LakeError } from '../errors.ts';
import type { Lake } from '../lake/open.ts';

const inodeOf = ({ path }: Lake): bigint | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

/**
 * Remembers which file a lake is, for whoever keeps it open for long: after a restore it would go on
 * writing to the one that was set aside. Make it right after opening.
 */
export class SameLake {
  readonly #lake: Lake;
  readonly #opened: bigint | undefined;

  constructor(lake: Lake) {
    this.#lake = lake;
    this.#opened = inodeOf(lake);
  }

  /** @throws LakeError once another file, or none, stands at the lake's path */
  expect(): void {
    if (inodeOf(this.#lake) !== this.#opened)
      throw new LakeError(
        `${this.#lake.path} is no longer the lake that was opened: it was restored or moved. Nothing more is written to that one; start again to work on what stands there now.`,
      );
  }
}
