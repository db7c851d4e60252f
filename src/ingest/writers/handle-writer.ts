import type { Statement } from 'better-sqlite3';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';

/** Writes how handles are spelled into one lake, so that a creator is found by any spelling. */
export class HandleWriter {
  readonly #insert: Statement;

  constructor({ sqlite }: Lake) {
    this.#insert = sqlite.prepare(
      'insert into handle_spelling (folded, handle) values (?, ?) on conflict do nothing',
    );
  }

  /** Notes a spelling, inside the transaction that stores it. The same again changes nothing. */
  note(handle: string | null): void {
    if (handle === null) return;
    const folded = foldHandle(handle);
    if (folded !== handle) this.#insert.run(folded, handle);
  }
}
