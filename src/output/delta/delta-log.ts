import { messageOf } from '../../base/errors.ts';
import { actionsOfCheckpoint, checkpointOf, filesSince } from './checkpoint.ts';
import {
  type Action,
  type AddFile,
  actionsIn,
  type MetaData,
  type Protocol,
  type RemoveFile,
  type Txn,
} from './delta-actions.ts';
import { TablesError } from './errors.ts';
import type { TableStore } from './table-store.ts';

/** A checkpoint each so many commits; one that a kill prevented is made up for a few commits later. */
const CHECKPOINT_EVERY = 100;
const CHECKPOINT_LATE = CHECKPOINT_EVERY + 10;
/** One sooner where the commits since the last one are as large: each reader reads them all. */
const CHECKPOINT_BYTES = 4 << 20;
const READ_AT_ONCE = 16;
/** A log is checkpointed long before. */
const MOST_COMMIT_BYTES = 64 * CHECKPOINT_BYTES;

const named = (version: number): string => String(version).padStart(20, '0');
const FILE = /\/(\d{20})\.(json|checkpoint\.parquet)$/;

/** The log of a table, version by version. No other code writes to it. */
export class DeltaLog {
  readonly table: string;
  readonly #store: TableStore;
  /** Only files below this prefix are kept in `files` and `removed`; '' keeps all. */
  readonly #below: string;
  #version = -1;
  #checkpointVersion = -1;
  /** Of the commits read since the last checkpoint. */
  #commitBytes = 0;
  protocol: Protocol | undefined;
  metaData: MetaData | undefined;
  readonly txns = new Map<string, Txn>();
  /** Files of the table, by path. */
  readonly files = new Map<string, AddFile>();
  /** Files that were taken out and may still be read by who began before, by path. */
  readonly removed = new Map<string, RemoveFile>();

  constructor(store: TableStore, table: string, below = '') {
    this.#store = store;
    this.table = table;
    this.#below = below;
  }

  /** The newest version that was read; -1 without a table. */
  get version(): number {
    return this.#version;
  }

  get #folder(): string {
    return `${this.table}/_delta_log/`;
  }

  #damaged(what: string, cause?: unknown): TablesError {
    return new TablesError(
      `The table ${this.#store.url}/${this.table} cannot be read: ${what}. Nothing was changed. Put the missing part back from the store's versions, or move the table's folder away and publish again.`,
      { cause },
    );
  }

  #apply(actions: readonly Action[]): void {
    for (const { add, remove, metaData, protocol, txn } of actions) {
      if (protocol) this.protocol = protocol;
      if (metaData) this.metaData = metaData;
      if (txn) this.txns.set(txn.appId, txn);
      if (add?.path.startsWith(this.#below)) {
        this.removed.delete(add.path);
        this.files.set(add.path, add);
      }
      if (remove?.path.startsWith(this.#below)) {
        this.files.delete(remove.path);
        this.removed.set(remove.path, remove);
      }
    }
  }

  /**
   * Version to start reading from, by the note of the last checkpoint, which may be missing or old.
   */
  async #hint(): Promise<number> {
    const note = await this.#store.read(`${this.#folder}_last_checkpoint`);
    try {
      const { version } = JSON.parse(note?.toString() ?? '{}') as { version?: unknown };
      return typeof version === 'number' && Number.isSafeInteger(version) ? version : -1;
    } catch {
      return -1;
    }
  }

  /** Versions that have a file, from `from` on. */
  async #listed(from: number): Promise<{ commits: number[]; checkpoints: number[] }> {
    const commits: number[] = [];
    const checkpoints: number[] = [];
    // `-` sorts before the dot that follows the number
    const after = from < 0 ? undefined : `${this.#folder}${named(from)}-`;
    for await (const { key } of this.#store.list(this.#folder, after)) {
      const [, version, kind] = FILE.exec(key) ?? [];
      if (version !== undefined) (kind === 'json' ? commits : checkpoints).push(Number(version));
    }
    return { commits, checkpoints };
  }

  /** The newest checkpoint and the commits there are since; without one, all commits. */
  async #located(): Promise<{ commits: number[]; checkpoint: Uint8Array | undefined }> {
    const hint = await this.#hint();
    const { commits, checkpoints } = await this.#listed(hint);
    const newest = checkpoints.at(-1);
    if (newest === undefined)
      return {
        commits: hint < 0 ? commits : (await this.#listed(-1)).commits,
        checkpoint: undefined,
      };
    const checkpoint = await this.#store.read(`${this.#folder}${named(newest)}.checkpoint.parquet`);
    if (checkpoint === undefined) throw this.#damaged(`its checkpoint ${newest} has gone`);
    this.#version = newest;
    this.#checkpointVersion = newest;
    return { commits, checkpoint };
  }

  /** The actions of a checkpoint, some thousands at a time, its first ones of no file. */
  async *#actionsOf(checkpoint: Uint8Array | undefined): AsyncGenerator<Action[]> {
    if (checkpoint === undefined) return;
    try {
      yield* actionsOfCheckpoint(checkpoint, this.#below);
    } catch (error) {
      const what = `its checkpoint ${this.#checkpointVersion} is not one: ${messageOf(error)}`;
      throw this.#damaged(what, error);
    }
  }

  async #commit(version: number): Promise<Action[]> {
    const bytes = await this.#store.read(`${this.#folder}${named(version)}.json`);
    if (bytes === undefined) throw this.#damaged(`its commit ${version} is missing`);
    this.#commitBytes += bytes.length;
    if (this.#commitBytes > MOST_COMMIT_BYTES)
      throw this.#damaged(
        `it has more than ${MOST_COMMIT_BYTES} bytes of commits and no checkpoint`,
      );
    try {
      return actionsIn(bytes, this.#below);
    } catch (error) {
      throw this.#damaged(`its commit ${version} is not one: ${messageOf(error)}`, error);
    }
  }

  async #readCommits(listed: readonly number[], until: number): Promise<void> {
    const fresh = listed.filter((version) => version > this.#version && version <= until);
    for (let done = 0; done < fresh.length; done += READ_AT_ONCE) {
      const some = fresh.slice(done, done + READ_AT_ONCE);
      const commits = await Promise.all(some.map((version) => this.#commit(version)));
      some.forEach((version, index) => {
        if (version !== this.#version + 1)
          throw this.#damaged(`its commit ${this.#version + 1} is missing`);
        this.#apply(commits[index] ?? []);
        this.#version = version;
      });
    }
  }

  /**
   * Reads what was committed since the last call; all of it at the first one.
   * @throws TablesError when the log has a gap or cannot be understood
   */
  async refresh(): Promise<void> {
    let commits: readonly number[];
    if (this.#version < 0) {
      const located = await this.#located();
      for await (const actions of this.#actionsOf(located.checkpoint)) this.#apply(actions);
      ({ commits } = located);
    } else ({ commits } = await this.#listed(this.#version));
    await this.#readCommits(commits, Number.MAX_SAFE_INTEGER);
  }

  /**
   * Writes the next version, if nobody else did. The log must be refreshed after either outcome.
   * @returns whether it was written; an error leaves that open
   */
  commit(actions: readonly object[]): Promise<boolean> {
    const lines = actions.map((action) => `${JSON.stringify(action)}\n`).join('');
    return this.#store.create(
      `${this.#folder}${named(this.#version + 1)}.json`,
      Buffer.from(lines),
    );
  }

  /** True if the writer of `version` should write a checkpoint. */
  wantsCheckpoint(version: number): boolean {
    const late = version - Math.max(this.#checkpointVersion, 0) >= CHECKPOINT_LATE;
    const large = this.#commitBytes >= CHECKPOINT_BYTES;
    return late || large || (version > 0 && version % CHECKPOINT_EVERY === 0);
  }

  /**
   * Writes a checkpoint of the version now read, so that readers need not begin at the first commit.
   * Files taken out before `forgetBefore` (Unix milliseconds) are not named any more. The one before
   * goes through it in pieces, so that memory does not grow with the table. Whoever writes one a
   * second time writes the same.
   */
  async checkpoint(forgetBefore: number): Promise<void> {
    // what it holds of files: those of the commits since the last checkpoint
    const since = new DeltaLog(this.#store, this.table);
    const located = await since.#located();
    const before = since.#actionsOf(located.checkpoint);
    since.#apply((await before.next()).value ?? []);
    await since.#readCommits(located.commits, this.#version);
    const { version, protocol, metaData, txns } = since;
    const general = [{ protocol }, { metaData }, ...[...txns.values()].map((txn) => ({ txn }))];
    const files = since.#filesOver(before, forgetBefore);
    const { bytes, actions, files: numOfAddFiles } = await checkpointOf(general, files);
    await this.#store.replace(`${this.#folder}${named(version)}.checkpoint.parquet`, bytes);
    const note = { version, size: actions, sizeInBytes: bytes.byteLength, numOfAddFiles };
    await this.#store.replace(`${this.#folder}_last_checkpoint`, Buffer.from(JSON.stringify(note)));
    this.#checkpointVersion = version;
    this.#commitBytes = 0;
  }

  /**
   * Removes earlier versions, whose statistics may show erased values: writes a checkpoint of the
   * version now read, then deletes older commits and checkpoints.
   */
  async forgetHistory(forgetBefore: number): Promise<void> {
    if (this.#version < 0) return;
    await this.checkpoint(forgetBefore);
    const { commits, checkpoints } = await this.#listed(-1);
    const isOld = (version: number): boolean => version < this.#version;
    await this.#store.remove([
      ...commits.filter(isOld).map((version) => `${this.#folder}${named(version)}.json`),
      ...checkpoints
        .filter(isOld)
        .map((version) => `${this.#folder}${named(version)}.checkpoint.parquet`),
    ]);
  }

  /** The files of a checkpoint with those held here laid over them, as a checkpoint names them. */
  async *#filesOver(
    before: AsyncIterable<readonly Action[]>,
    forgetBefore: number,
  ): AsyncGenerator<Action> {
    const changed = new Map<string, Action>();
    for (const [path, add] of this.files) changed.set(path, { add });
    for (const [path, remove] of this.removed) changed.set(path, { remove });
    for await (const { add, remove } of filesSince(before, changed)) {
      if (add) yield { add: { ...add, dataChange: false } };
      else if (remove && (remove.deletionTimestamp ?? 0) >= forgetBefore)
        yield { remove: { ...remove, dataChange: false } };
    }
  }
}
