import type { DeltaLog } from './delta-log.ts';
import type { TableStore } from './table-store.ts';

/** Paths of a lake's files in a table that are missing in the store or have another size there. */
export const brokenFiles = async (
  store: TableStore,
  log: DeltaLog,
  lake: string,
): Promise<string[]> => {
  const folder = `${log.table}/`;
  const sizes = new Map<string, number>();
  for await (const { key, bytes } of store.list(`${folder}lake=${lake}/`))
    sizes.set(key.slice(folder.length), bytes);
  const files = [...log.files.values()];
  return files.filter(({ path, size }) => sizes.get(path) !== size).map(({ path }) => path);
};
