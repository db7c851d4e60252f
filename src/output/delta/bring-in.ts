import type { Clock } from '../../base/clock.ts';
import { type BuildPlace, withDatedFile } from './dated-file.ts';
import type { AddFile } from './delta-actions.ts';
import { fileColumns, statisticsOf, type TableColumn } from './file-columns.ts';
import { footerOf } from './local-file.ts';
import type { PublishedFile } from './published-file.ts';
import type { OpenFile, TableStore } from './table-store.ts';

/** An uploaded file, not yet committed. */
export interface BroughtFile {
  readonly add: AddFile;
  readonly rows: number;
  readonly columns: readonly TableColumn[];
}

/** Table and store of a file, and where it is built. */
export interface BringDeps {
  readonly store: TableStore;
  readonly table: string;
  readonly lake: string;
  readonly place: BuildPlace;
  readonly clock: Clock;
}

/**
 * Uploads a file unless the store has it, and describes it for a commit. A file of days is built first.
 * @throws ReplacedFileError if an export replaced one of its sources
 */
export const bringIn = async (
  { store, table, lake, place, clock }: BringDeps,
  { path, sources }: PublishedFile,
): Promise<BroughtFile> => {
  const copy = async (open: OpenFile): Promise<BroughtFile> => {
    const footer = await footerOf(open);
    const columns = fileColumns(path, footer);
    const key = `${table}/${path}`;
    if ((await store.sizeOf(key)) !== open.bytes) await store.copyIn(key, open);
    const add: AddFile = {
      path,
      partitionValues: { lake },
      size: open.bytes,
      modificationTime: Math.floor(clock.now()),
      dataChange: true,
      stats: statisticsOf(footer, columns),
    };
    return { add, rows: Number(footer.num_rows), columns };
  };
  return sources[0].date === null ? sources[0].withFile(copy) : withDatedFile(sources, place, copy);
};
