import { messageOf } from '../../base/errors.ts';
import { actionsOfCheckpoint, checkpointOf } from './checkpoint.ts';
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

/** Commits between two checkpoints. One that was missed by a kill is written a few commits later. */
const CHECKPOINT_EVERY = 100;
const CHECKPOINT_LATE = CHECKPOINT_EVERY + 10;
/** Bytes of commits that cause a checkpoint too, because every reader reads them all. */
const CHECKPOINT_BYTES = 4 << 20;
const READ_AT_ONCE = 16;
/** Never reached by a log with checkpoints. */
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
  /** Removed files, which readers that began before may still read, by path. */
  readonly removed = new Map<string, RemoveFile>();
  /** The same of all lakes: the newest action of each path. */
  readonly #actions = new Map<string, Action>();

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
      if (add) this.#actions.set(add.path, { add });
      if (remove) this.#actions.set(remove.path, { remove });
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

  /** Reads the newest checkpoint, if there is one. @returns the versions that have a commit */
  async #readCheckpoint(): Promise<number[]> {
    const hint = await this.#hint();
    const { commits, checkpoints } = await this.#listed(hint);
    const newest = checkpoints.at(-1);
    if (newest === undefined) return hint < 0 ? commits : (await this.#listed(-1)).commits;
    const checkpoint = await this.#store.read(`${this.#folder}${named(newest)}.checkpoint.parquet`);
    if (checkpoint === undefined) throw this.#damaged(`its checkpoint ${newest} is missing`);
    try {
      this.#apply(await actionsOfCheckpoint(checkpoint));
    } catch (error) {
      throw this.#damaged(`its checkpoint ${newest} is damaged: ${messageOf(error)}`, error);
    }
    this.#version = newest;
    this.#checkpointVersion = newest;
    return commits;
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
      return actionsIn(bytes);
    } catch (error) {
      throw this.#damaged(`its commit ${version} is damaged: ${messageOf(error)}`, error);
    }
  }

  /**
   * Reads what was committed since the last call; all of it at the first one.
   * @throws TablesError when the log has a gap or cannot be understood
   */
  async refresh(): Promise<void> {
    const commits =
      this.#version < 0
        ? await this.#readCheckpoint()
        : (await this.#listed(this.#version)).commits;
    const fresh = commits.filter((version) => version > this.#version);
    for (let done = 0; done < fresh.length; done += READ_AT_ONCE) {
      const some = fresh.slice(done, done + READ_AT_ONCE);
      const read = await Promise.all(some.map((version) => this.#commit(version)));
      some.forEach((version, index) => {
        if (version !== this.#version + 1)
          throw this.#damaged(`its commit ${this.#version + 1} is missing`);
        this.#apply(read[index] ?? []);
        this.#version = version;
      });
    }
  }

  /**
   * Writes the next version unless another writer did. Refresh the log afterwards.
   * @returns true if it was written; after an error that is unknown
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
   * Files removed before `forgetBefore` (Unix milliseconds) are not named any more. Writing one a
   * second time writes the same.
   */
  async checkpoint(forgetBefore: number): Promise<void> {
    const { version, protocol, metaData } = this;
    const txns = [...this.txns.values()].map((txn) => ({ txn }));
    const files = [...this.#actions]
      .sort(([path], [other]) => (path < other ? -1 : 1))
      .flatMap(([, { add, remove }]): Action[] => {
        if (add) return [{ add: { ...add, dataChange: false } }];
        const isKept = remove && (remove.deletionTimestamp ?? 0) >= forgetBefore;
        return isKept ? [{ remove: { ...remove, dataChange: false } }] : [];
      });
    const actions = [{ protocol }, { metaData }, ...txns, ...files];
    const bytes = await checkpointOf(actions);
    await this.#store.replace(`${this.#folder}${named(version)}.checkpoint.parquet`, bytes);
    const numOfAddFiles = files.filter(({ add }) => add).length;
    const sizeInBytes = bytes.byteLength;
    const note = { version, size: actions.length, sizeInBytes, numOfAddFiles };
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
}
