import { brokenFiles } from './broken-files.ts';
import { DeltaLog } from './delta-log.ts';
import { type ExportedTable, exportedTables, publishedFiles } from './exported-tables.ts';
import { refuseForeignTable } from './judge-table.ts';
import type { PublishedFile } from './published-file.ts';
import type { TableStore } from './table-store.ts';

/** Published tables compared with the last export. */
export interface PublishedState {
  readonly tables: number;
  /** Files of this lake that the tables should show. */
  readonly files: number;
  /** Descriptions of differences. */
  readonly problems: string[];
}

const MOST_NAMED = 3;

/** The first few of some paths, and how many more there are. */
const someOf = (paths: readonly string[]): string =>
  `${paths.slice(0, MOST_NAMED).join(', ')}${paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : ''}`;

const checkTable = async (
  store: TableStore,
  lake: string,
  table: ExportedTable,
): Promise<{ files: number; problems: string[] }> => {
  const { name } = table;
  const log = new DeltaLog(store, name, `lake=${lake}/`);
  await log.refresh();
  refuseForeignTable(log, `${store.url}/${name}`);
  const isShown = (_month: string, { path }: PublishedFile): boolean => log.files.has(path);
  const wanted = new Set(publishedFiles(lake, table, isShown).map(({ path }) => path));
  const missing = [...wanted].filter((path) => !log.files.has(path));
  const outdated = [...log.files.keys()].filter((path) => !wanted.has(path));
  const broken = await brokenFiles(store, log, lake);
  const problems: string[] = [];
  if (missing.length > 0) problems.push(`${name} lacks ${someOf(missing)}`);
  if (outdated.length > 0) problems.push(`${name} still shows ${someOf(outdated)}`);
  if (broken.length > 0)
    problems.push(`${name} names files that are missing or cut: ${someOf(broken)}`);
  return { files: wanted.size, problems };
};

/**
 * Compares the files of a lake in the tables with the manifest of its last export and with the store.
 * Repairs nothing.
 * @throws TablesError if the store or a table cannot be read
 */
export const checkPublished = async (
  dataDir: string,
  store: TableStore,
  lake: string,
): Promise<PublishedState> => {
  const tables = exportedTables(dataDir);
  const problems: string[] = [];
  let files = 0;
  for (const table of tables) {
    const checked = await checkTable(store, lake, table);
    problems.push(...checked.problems);
    files += checked.files;
  }
  return { tables: tables.length, files, problems };
};
