import type { Statement } from 'better-sqlite3';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';

/** Writes spellings of handles, so that a creator is found by any of them. */
export class HandleWriter {
  readonly #insert: Statement;

  constructor({ sqlite }: Lake) {
    this.#insert = sqlite.prepare(
      'insert into handle_spelling (folded, handle) values (?, ?) on conflict do nothing',
    );
  }

  /** Call inside the transaction that stores the handle. Repeating it changes nothing. */
  note(handle: string | null): void {
    if (handle === null) return;
    const folded = foldHandle(handle);
    if (folded !== handle) this.#insert.run(folded, handle);
  }
}
