import { randomUUID } from 'node:crypto';
import type PQueue from 'p-queue';
import type { Clock } from '../../base/clock.ts';
import { DAY_MS, SECOND_MS } from '../../base/durations.ts';
import { type BroughtFile, bringIn } from './bring-in.ts';
import { brokenFiles } from './broken-files.ts';
import { type BuildPlace, DATE_COLUMN } from './dated-file.ts';
import type { Txn } from './delta-actions.ts';
import { DeltaLog } from './delta-log.ts';
import { type ExportedTable, publishedFiles } from './exported-tables.ts';
import { fileColumns, type TableColumn } from './file-columns.ts';
import { refuseForeignTable, refuseOtherLake } from './judge-table.ts';
import { footerOf, withLocalFile } from './local-file.ts';
import { daysFile, isSettled, type PublishedFile } from './published-file.ts';
import { adaptedMetaData, PROTOCOL } from './table-schema.ts';
import type { TableStore } from './table-store.ts';
import { keepUp } from './upkeep.ts';

export interface PublishDeps {
  readonly store: TableStore;
  /** Folder of the lake; files are built there before they are uploaded. */
  readonly dataDir: string;
  /** The name of the lake in the tables. */
  readonly lake: string;
  /** Distinguishes this lake from others of its name. */
  readonly lakeId: string;
  /** Take the place of another lake that published under this name. */
  readonly replace?: boolean;
  /** Look for the files of the table in the store, and upload missing ones again. */
  readonly full?: boolean;
  /** Remove outdated files and earlier versions at once, because they hold erased rows. */
  readonly purge?: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Queue of uploads, shared by all tables. */
  readonly uploads: PQueue;
  /** Queue of builds, shared by all tables. */
  readonly builds: PQueue;
  readonly onFile?: () => void;
}

/** Result of publishing one table. */
export interface TablePublished {
  readonly table: string;
  /** Table version of this lake's commit; the newest one if there was nothing to do. */
  readonly version: number;
  /** Files, rows and bytes added, and files removed; 0 if there was nothing to do. */
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly removed: number;
  /** Commits of others that came first. */
  readonly lostRaces: number;
}

/** Removed files stay for readers that began before. Checkpoints name them longer. */
const KEPT_MS = 7 * DAY_MS;
const NAMED_MS = 30 * DAY_MS;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 2 * SECOND_MS;

/** A commit before it is written. */
interface TableChange {
  readonly added: readonly BroughtFile[];
  readonly removed: readonly string[];
  readonly txn: Txn;
  readonly actions: readonly object[];
}

/** Brings one exported table of a lake into the shared table of its name. */
export class TablePublisher {
  readonly #deps: PublishDeps;
  readonly #table: ExportedTable;
  readonly #log: DeltaLog;
  readonly #url: string;
  readonly #wanted: ReadonlyMap<string, PublishedFile>;
  readonly #brought = new Map<string, BroughtFile>();
  #upkeep: readonly Txn[] | undefined;
  /** The last commit tried. */
  #tried: TableChange | undefined;
  #lostRaces = 0;

  constructor(deps: PublishDeps, table: ExportedTable) {
    const { store, lake, clock } = deps;
    this.#deps = deps;
    this.#table = table;
    this.#log = new DeltaLog(store, table.name, `lake=${lake}/`);
    this.#url = `${store.url}/${table.name}`;
    const now = clock.now();
    const files = publishedFiles(lake, table, (month) => isSettled(month, now));
    this.#wanted = new Map(files.map((file) => [file.path, file]));
  }

  get #place(): BuildPlace {
    const { dataDir: folder, builds } = this.#deps;
    return { folder, builds, codec: this.#table.codec };
  }

  async #bringIn(file: PublishedFile): Promise<void> {
    const { store, signal, clock, lake, onFile } = this.#deps;
    const table = this.#table.name;
    signal.throwIfAborted();
    const deps = { store, table, lake, clock, place: this.#place };
    this.#brought.set(file.path, await bringIn(deps, file));
    onFile?.();
  }

  /** @throws the first failure, after all uploads ended */
  async #bringAllIn(paths: readonly string[]): Promise<void> {
    const { uploads } = this.#deps;
    const underWay = new Set<Promise<void>>();
    const failures: unknown[] = [];
    for (const path of paths) {
      const file = this.#wanted.get(path);
      if (file === undefined || this.#brought.has(path)) continue;
      await uploads.onSizeLessThan(uploads.concurrency);
      if (failures.length > 0) break;
      const upload: Promise<void> = uploads
        .add(() => this.#bringIn(file))
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(upload));
      underWay.add(upload);
    }
    await Promise.all(underWay);
    if (failures.length > 0) throw failures[0];
  }

  /** Columns of the uploaded files; of the empty file for a table that never had rows. */
  async #columns(added: readonly BroughtFile[]): Promise<readonly TableColumn[]> {
    const byName = new Map(
      added.flatMap(({ columns }) => columns).map((column) => [column.name, column]),
    );
    const [first] = this.#table.files;
    if (byName.size > 0 || first === undefined || this.#log.version >= 0)
      return [...byName.values()];
    const columns = await withLocalFile(first, async (open) =>
      fileColumns(first.path, await footerOf(open)),
    );
    return this.#table.dated ? [...columns, DATE_COLUMN] : columns;
  }

  /** Change that makes the table show this lake as exported; undefined if it does. */
  async #change(): Promise<TableChange | undefined> {
    const { clock, lake, lakeId, store, full = false } = this.#deps;
    const { files, txns, metaData, version } = this.#log;
    const broken = full ? await brokenFiles(store, this.#log, lake) : [];
    const isShown = (path: string): boolean => files.has(path) && !broken.includes(path);
    const missing = [...this.#wanted.keys()].filter((path) => !isShown(path));
    const removed = [...files.keys()].filter((path) => !this.#wanted.has(path));
    const merged = this.#mergedDays(missing);
    await this.#bringAllIn(missing);
    const added = missing.flatMap((path) => this.#brought.get(path) ?? []);
    const columns = await this.#columns(added);
    if (version < 0 && columns.length === 0) return undefined; // nothing was ever exported
    const table = this.#table.name;
    const at = Math.floor(clock.now());
    const brings = { table, columns, lake, lakeId };
    const adapted = adaptedMetaData(this.#url, metaData, brings, { id: randomUUID(), at });
    if (added.length === 0 && removed.length === 0 && adapted === undefined) return undefined;
    const wanted = this.#wanted;
    const upkeepDeps = { store, log: this.#log, lake, wanted, now: at, keptMs: KEPT_MS };
    this.#upkeep ??= await keepUp(upkeepDeps);
    const appId = `trendlake:${lake}`;
    const txn = { appId, version: (txns.get(appId)?.version ?? -1) + 1, lastUpdated: at };
    const operation = { operation: 'WRITE', operationParameters: { lake }, isBlindAppend: false };
    const actions = [
      { commitInfo: { timestamp: at, ...operation, engineInfo: 'trendlake' } },
      ...(version < 0 ? [{ protocol: PROTOCOL }] : []),
      ...(adapted === undefined ? [] : [{ metaData: adapted }]),
      ...[txn, ...this.#upkeep].map((named) => ({ txn: { ...named, lastUpdated: at } })),
      ...removed.map((path) => ({ remove: this.#removal(path, at, !merged.days.has(path)) })),
      ...added.map(({ add }) => ({ add: { ...add, dataChange: !merged.months.has(add.path) } })),
    ];
    return { added, removed, txn, actions };
  }

  /** Missing files of months whose days the table shows as single files, and those days. */
  #mergedDays(missing: readonly string[]): { months: Set<string>; days: Set<string> } {
    const [months, days] = [new Set<string>(), new Set<string>()];
    for (const path of missing) {
      const { sources } = this.#wanted.get(path) ?? { sources: [] };
      const shown = sources.map((day) => daysFile(this.#deps.lake, [day]).path);
      if (!this.#table.dated || !shown.every((day) => this.#log.files.has(day))) continue;
      months.add(path);
      for (const day of shown) days.add(day);
    }
    return { months, days };
  }

  #removal(path: string, at: number, dataChange: boolean): object {
    const file = this.#log.files.get(path);
    const { partitionValues, size } = file ?? {};
    const extended = { extendedFileMetadata: true, partitionValues, size };
    return { path, deletionTimestamp: at, dataChange, ...extended };
  }

  async #waitForOthers(): Promise<void> {
    const { clock, random, signal } = this.#deps;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#lostRaces, 10));
    await clock.sleep(longest * random(), signal);
  }

  #report(
    { added, removed }: Pick<TableChange, 'added' | 'removed'>,
    version: number,
  ): TablePublished {
    const sum = (of: (file: BroughtFile) => number): number =>
      added.reduce((total, file) => total + of(file), 0);
    return {
      table: this.#table.name,
      version,
      files: added.length,
      rows: sum(({ rows }) => rows),
      bytes: sum(({ add }) => add.size),
      removed: removed.length,
      lostRaces: this.#lostRaces,
    };
  }

  /** The last attempted commit if the table has it, although the store reported a failure. */
  get #landed(): TableChange | undefined {
    const txn = this.#tried?.txn;
    const stands = txn !== undefined && this.#log.txns.get(txn.appId)?.version === txn.version;
    return stands ? this.#tried : undefined;
  }

  /**
   * Uploads missing files, then commits, until no other lake was faster. A killed run leaves the
   * table with the old or the new state of this lake. A second run writes nothing.
   * @throws TablesError if the table is not ours or the store refuses; ReplacedFileError if an
   * export replaced a file, so the manifest must be read again
   */
  async publish(): Promise<TablePublished> {
    const { signal, clock, lake, lakeId, replace = false } = this.#deps;
    for (;;) {
      signal.throwIfAborted();
      await this.#log.refresh();
      refuseForeignTable(this.#log, this.#url);
      refuseOtherLake(this.#log, { url: this.#url, lake, lakeId, replace });
      const change = await this.#change();
      if (change === undefined)
        return this.#report(this.#landed ?? { added: [], removed: [] }, this.#log.version);
      this.#tried = change;
      const version = this.#log.version + 1;
      if (await this.#log.commit(change.actions)) {
        await this.#log.refresh();
        if (this.#log.wantsCheckpoint(version)) await this.#log.checkpoint(clock.now() - NAMED_MS);
        return this.#report(change, version);
      }
      this.#lostRaces += 1;
      await this.#waitForOthers();
    }
  }

  /** Removes outdated files of this lake and the earlier versions of the table. */
  async purge(): Promise<void> {
    const { store, clock } = this.#deps;
    await this.#log.refresh();
    const old = [...this.#log.removed.keys()].filter((path) => !this.#wanted.has(path));
    await store.remove(old.map((path) => `${this.#table.name}/${path}`));
    await this.#log.forgetHistory(clock.now() - NAMED_MS);
  }
}
