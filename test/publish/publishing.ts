import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, virtualClock } from '../../src/clock.ts';
import { exportLake } from '../../src/export/export-lake.ts';
import type { Lake } from '../../src/lake/open.ts';
import { FileStore } from '../../src/publish/file-store.ts';
import { type PublishOptions, publishLake } from '../../src/publish/publish-lake.ts';
import { NOON_AT } from '../export/filled-lake.ts';

const aClock = (): Clock => virtualClock(NOON_AT);

/** Exports a lake and publishes it into a folder (or `store`) under a name. */
export const exportAndPublish = async (
  lake: Lake,
  folder: string,
  name: string,
  options: Partial<PublishOptions> = {},
) => {
  const clock = options.clock ?? aClock();
  await exportLake(lake, { clock });
  return publishLake(lake, {
    ...{ store: new FileStore(folder), name, clock, random: () => 0.5 },
    signal: new AbortController().signal,
    ...options,
  });
};

/** Every file below a folder with size and time of writing. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => [name, statSync(join(folder, name))] as const)
    .filter(([, found]) => found.isFile())
    .map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`)
    .sort();
