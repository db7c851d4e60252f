import { statSync } from 'node:fs';
import { LakeError } from '../base/errors.ts';
import type { Lake } from './open.ts';

const inodeOf = ({ path }: Lake): bigint | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

/**
 * Remembers which file a lake is. SQLite goes on writing to a file that was deleted or replaced, and
 * nobody would ever read it. Create it right after opening.
 */
export class SameLake {
  readonly #lake: Lake;
  readonly #opened: bigint | undefined;

  constructor(lake: Lake) {
    this.#lake = lake;
    this.#opened = inodeOf(lake);
  }

  /** True while the file at the lake's path is the one that was opened. */
  get isThere(): boolean {
    return inodeOf(this.#lake) === this.#opened;
  }

  /** @throws LakeError once another file, or none, is at the lake's path */
  expect(): void {
    if (this.isThere) return;
    const happened =
      inodeOf(this.#lake) === undefined ? 'was deleted or moved' : 'was replaced, as by a restore,';
    throw new LakeError(
      `${this.#lake.path} ${happened} while this process had it open. What it loaded since then is not in that place. Start again to work on what is there now.`,
    );
  }
}
