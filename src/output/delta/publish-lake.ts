import PQueue from 'p-queue';
import type { Clock } from '../../base/clock.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import { lakeIdOf } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import { ReplacedFileError } from './errors.ts';
import { exportedTables } from './exported-tables.ts';
import { probeStore } from './probe.ts';
import { type PublishDeps, type TablePublished, TablePublisher } from './publish-table.ts';
import type { TableStore } from './table-store.ts';

/** Result of `publish`, as `--json` prints it. */
export interface PublishSummary {
  /** The address of the tables. */
  readonly url: string;
  readonly lake: string;
  readonly tables: TablePublished[];
  /** Files, rows and bytes brought in, files taken out, over all tables. */
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly removed: number;
  readonly durationMs: number;
}

export interface PublishOptions {
  readonly store: TableStore;
  /** The name of the lake in the tables. */
  readonly name: string;
  readonly replace?: boolean;
  readonly full?: boolean;
  readonly purge?: boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onFile?: () => void;
}

const TABLES_AT_ONCE = 3;
const UPLOADS_AT_ONCE = 4;
/** A build of large days takes some 40 MB. */
const BUILDS_AT_ONCE = 2;
/** An export may replace files during a publish. Then the new manifest is read. */
const MANIFESTS_TRIED = 5;

const publishTables = async (deps: PublishDeps): Promise<TablePublished[]> => {
  const waiting = exportedTables(deps.dataDir);
  const done: TablePublished[] = [];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      if (failures.length > 0) return;
      const publisher = new TablePublisher(deps, table);
      done.push(await publisher.publish());
      if (deps.purge === true) await publisher.purge();
    }
  };
  const workers = Array.from({ length: TABLES_AT_ONCE }, () =>
    work().catch((error: unknown) => void failures.push(error)),
  );
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
  return done;
};

/** `publishTables`, repeated with the new manifest if an export ran meanwhile. */
const publishLatest = async (deps: PublishDeps): Promise<TablePublished[]> => {
  for (let tried = 1; ; tried += 1)
    try {
      return await publishTables(deps);
    } catch (error) {
      if (!(error instanceof ReplacedFileError) || tried >= MANIFESTS_TRIED) throw error;
    }
};

/**
 * Publishes the last export of a lake into the Delta tables that all lakes of an address share. Files
 * are uploaded first, then one commit per table shows them. Without changes it writes nothing. After a
 * kill, the next run continues.
 * @throws TablesError if the store or a table refuses; LakeError (transient) while another publish of
 * this lake runs. Earlier tables stay published
 */
export const publishLake = (lake: Lake, options: PublishOptions): Promise<PublishSummary> =>
  withExclusive(lake.dataDir, 'publish', options.clock, async () => {
    const { store, name, clock } = options;
    const startedAt = clock.monotonic();
    await probeStore(store);
    const uploads = new PQueue({ concurrency: UPLOADS_AT_ONCE });
    const { dataDir } = lake;
    const builds = new PQueue({ concurrency: BUILDS_AT_ONCE });
    const own = { dataDir, lake: name, lakeId: lakeIdOf(lake), uploads, builds };
    const tables = await publishLatest({ ...options, ...own });
    const sum = (of: 'files' | 'rows' | 'bytes' | 'removed'): number =>
      tables.reduce((total, table) => total + table[of], 0);
    return {
      url: store.url,
      lake: name,
      tables: tables.sort((a, b) => (a.table < b.table ? -1 : 1)),
      files: sum('files'),
      rows: sum('rows'),
      bytes: sum('bytes'),
      removed: sum('removed'),
      durationMs: Math.round(clock.monotonic() - startedAt),
    };
  });
