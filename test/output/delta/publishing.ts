import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, virtualClock } from '../../../src/base/clock.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { type PublishOptions, publishLake } from '../../../src/output/delta/publish-lake.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { addSnapshot, exportedLake, NOON_AT } from '../parquet/filled-lake.ts';

export const aClock = (): Clock => virtualClock(NOON_AT);

/** Publishes a lake's last export into a folder (or `store`) under a name. */
export const publish = (
  lake: Lake,
  folder: string,
  name: string,
  options: Partial<PublishOptions> = {},
) =>
  publishLake(lake, {
    store: new FileStore(folder),
    name,
    clock: aClock(),
    random: () => 0.5,
    signal: new AbortController().signal,
    ...options,
  });

/** Exports a lake and publishes it. */
export const exportAndPublish = async (
  ...[lake, folder, name, options = {}]: Parameters<typeof publish>
) => {
  await exportLake(lake, { clock: options.clock ?? aClock() });
  return publish(lake, folder, name, options);
};

/** Adds a snapshot of the first video on the first day, whose file then is another one. */
export const changeFirstDay = (lake: Lake, round: number): void => {
  addSnapshot(lake, 1, NOON_AT + 100 + round, round);
  lake.sqlite.exec(
    `insert or replace into touched_partitions values ('video_snapshots', '2026-03-01', ${round + 99})`,
  );
};

/**
 * A lake with two exports, before and after a change of its first day; the functions put one or the
 * other in place, without exporting.
 */
export const lakeOfTwoExports = async () => {
  const lake = await exportedLake();
  const parquet = join(lake.dataDir, 'parquet');
  const keep = (name: string) => {
    const kept = join(lake.dataDir, name);
    cpSync(parquet, kept, { recursive: true });
    return (): void => {
      rmSync(parquet, { recursive: true });
      cpSync(kept, parquet, { recursive: true });
    };
  };
  const before = keep('before');
  changeFirstDay(lake, 1);
  await exportLake(lake, { clock: aClock() });
  const after = keep('after');
  return { lake, before, after };
};

/** Every file below a folder with size and time of writing. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => [name, statSync(join(folder, name))] as const)
    .filter(([, found]) => found.isFile())
    .map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`)
    .sort();
