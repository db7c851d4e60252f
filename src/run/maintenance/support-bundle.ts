import { existsSync, readdirSync, statSync } from 'node:fs';
import { arch, cpus, release, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { openLakeForReading } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { COUNTED_TABLES, rowsOf } from '../../lake/read/volumes.ts';

const MOST_RUNS = 20;
const MOST_FILES = 5000;

/** Bytes by folder of the data directory, with the databases one by one. */
const sizesOf = (dataDir: string): Record<string, { files: number; bytes: number }> => {
  const sizes: Record<string, { files: number; bytes: number }> = {};
  if (!existsSync(dataDir)) return sizes;
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile()).slice(0, MOST_FILES)) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(dataDir, path).replace(/[\\/].*$/, '/');
    const { files, bytes } = sizes[name] ?? { files: 0, bytes: 0 };
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    sizes[name] = { files: files + 1, bytes: bytes + size };
  }
  return sizes;
};

const RUNS = `
  select json_object('id', id, 'startedAt', started_at, 'finishedAt', finished_at, 'outcome', outcome,
    'resumesAt', resumes_at, 'jobs', json(jobs), 'summary', json(summary))
  from runs order by id desc limit ${MOST_RUNS}`;

const lakeFacts = (dataDir: string) => {
  try {
    using lake = openLakeForReading(dataDir);
    return {
      schema: lakeVersion(lake),
      sqlite: prepare(lake.sqlite, 'select sqlite_version()', 'text').get(),
      rows: Object.fromEntries(COUNTED_TABLES.map((table) => [table, rowsOf(lake, table)])),
      runs: prepare(lake.sqlite, RUNS, 'text')
        .all()
        .map((run): unknown => JSON.parse(run)),
    };
  } catch (error) {
    return { error: messageOf(error) };
  }
};

/** Facts about a machine and its lake that help to find a problem. Holds no secrets. */
export const supportFacts = (dataDir: string, clock: Clock) => ({
  at: isoOf(clock.now()),
  node: process.version,
  system: { platform: process.platform, release: release(), arch: arch(), cores: cpus().length },
  memoryBytes: totalmem(),
  dataDir: sizesOf(dataDir),
  lake: lakeFacts(dataDir),
});
