import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultyUpstream, startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { lakeRows } from '../../../fixtures/lake-rows.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { isoOf } from '../../../src/base/iso.ts';
import { openLake } from '../../../src/lake/open.ts';
import { backupLake } from '../../../src/run/maintenance/backup.ts';
import { subscribe } from '../../alerts/webhooks/made-endpoint.ts';
import { BIN } from '../../support/cli-bin.ts';
import { DISK_ERRORS, type DiskError, FailingDisk } from '../../support/failing-disk.ts';
import { freshFolder } from '../../support/fresh.ts';
import { expectSound, tornFiles } from '../../support/lake-invariants.ts';
import { KEY } from '../../support/sync-once.ts';

let upstream: FaultyUpstream;
beforeAll(async () => {
  upstream = await startFaultyUpstream();
});
afterAll(() => upstream.close());

/** Runs a script in a child process, through a shell that limits its file sizes. */
const run = (
  dataDir: string,
  [script = '', ...argv]: readonly string[],
  more: NodeJS.ProcessEnv = {},
  limit = '',
): Promise<{ code: number; err: string }> => {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    TRENDLAKE_DATA_DIR: dataDir,
    TRENDLAKE_PLATFORMS: 'tiktok',
    TRENDLAKE_BASE_URL: upstream.baseUrl,
    TRENDLAKE_API_KEY: KEY,
    TRENDLAKE_LIST_ITEMS: '100',
    TRENDLAKE_GROWTH_CALLS: '2',
    TRENDLAKE_CREATOR_CALLS: '1',
    TRENDLAKE_TABLES_URL: `file://${dataDir}/tables`,
    TRENDLAKE_LAKE: 'berlin',
    ...more,
  };
  const node = [process.execPath, script, ...argv];
  const command = ['-c', `${limit}exec "$0" "$@"`, ...node];
  return new Promise((resolve) =>
    execFile('/bin/sh', command, { env, cwd: dataDir }, (error, _, err) =>
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1,
        err,
      }),
    ),
  );
};

// the journal holds the migration's pages, then those of the run and its plan, call by call
test.each([8, 16, 18, 20, 24, 64])(
  'a disk that takes %i KiB more ends a sync in words, and the next one goes on',
  async (kibibytes) => {
    const dataDir = freshFolder();
    openLake(dataDir).close();
    const sync = [BIN, 'sync', '--no-export'];
    const limit = `ulimit -f ${kibibytes * 2}; `; // in blocks of 512 bytes
    const { code, err } = await run(dataDir, sync, {}, limit);
    expect(err).toMatch(/trendlake: .*cannot be written: the disk/);
    expect(err).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
    expect(await run(dataDir, sync)).toMatchObject({ code: 0 });
    expectSound(dataDir);
  },
);

/** A lake that was synced, exported and backed up, with a delivery that waits. */
const makeFilled = async (): Promise<string> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-filled-'));
  expect(await run(dataDir, [BIN, 'sync'])).toMatchObject({ code: 0 });
  const lake = openLake(dataDir);
  const at = Date.now();
  subscribe(lake, 'http://127.0.0.1:1/hook');
  new LakeBuilder(lake).event({ id: 'e1', kind: 'trend.spike', platform: 'tiktok', at });
  await backupLake(lake, { clock: virtualClock(WORLD_AT) });
  lake.close();
  const lines = Array.from({ length: 300 }, (_, i) =>
    JSON.stringify({ id: `yt_n${i}`, at: isoOf(WORLD_AT + i), views: i, likes: 0 }),
  );
  writeFileSync(join(dataDir, 'snapshots.ndjson'), lines.join('\n'));
  return dataDir;
};
let filled: Promise<string> | undefined;

/** Writers, their files, and the shares of their calls after which the disk fails. */
interface Write {
  readonly argv: readonly string[];
  readonly file: string;
  readonly after: readonly number[];
  /** It begins in an empty folder, not on a copy of the filled lake. */
  readonly empty?: true;
}

const LAKE = 'trendlake.db';
const CHORES = join(import.meta.dirname, 'chores-process.ts');
const REPORT = ['report', '--week', '2026-W09', '--out', 'report.html'];

const WRITES: Readonly<Record<string, Write>> = {
  'the lake, plan, ledger, pages and bodies of a first sync': {
    argv: [BIN, 'sync', '--no-export'],
    file: LAKE,
    empty: true,
    after: [0, 0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
  },
  'runs, pages, search index, events and deliveries of a later sync': {
    argv: [BIN, 'sync', '--no-export'],
    file: LAKE,
    after: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
  },
  'Parquet files': {
    argv: [BIN, 'export', '--full'],
    file: '/parquet/',
    after: [0, 0.3, 0.6, 0.9],
  },
  'the manifest': {
    argv: [BIN, 'export', '--full'],
    file: 'manifest.json',
    after: [0, 0.3, 0.6],
  },
  'published tables': { argv: [BIN, 'publish'], file: '/tables', after: [0, 0.3, 0.6, 0.9] },
  'a backup': { argv: [CHORES, 'backup'], file: '/backups/', after: [0, 0.3, 0.6] },
  'a restored backup': {
    argv: [BIN, 'doctor', '--restore'],
    file: LAKE,
    after: [0, 0.3, 0.6],
  },
  pruning: { argv: [CHORES, 'prune'], file: LAKE, after: [0, 0.3, 0.6] },
  'an import': { argv: [BIN, 'import', 'snapshots.ndjson'], file: LAKE, after: [0, 0.3, 0.6] },
  'a replay': { argv: [BIN, 'replay'], file: LAKE, after: [0, 0.3, 0.6] },
  'the search index anew': {
    argv: [BIN, 'doctor', '--rebuild-search'],
    file: LAKE,
    after: [0, 0.3, 0.6],
  },
  'an analysis': { argv: [BIN, 'analyze', 'tt_1'], file: LAKE, after: [0, 0.4] },
  'a subscription': {
    argv: [BIN, 'webhooks', 'add', 'https://example.com/hook'],
    file: LAKE,
    after: [0, 0.4],
  },
  'a key': {
    argv: [BIN, 'keys', 'create', '--use-case', 'x'],
    file: 'service.db',
    after: [0, 0.2, 0.5],
  },
  'a report': { argv: [BIN, ...REPORT], file: 'report.html', after: [0, 0.5] },
};

const compiled = (): FailingDisk | undefined => {
  try {
    return new FailingDisk();
  } catch {
    process.stdout.write('Without a C compiler no disk can be made to fail: not tried.\n');
    return undefined;
  }
};
const disk = process.platform === 'linux' ? compiled() : undefined;
/** In its short form each place is struck by one error, else by each. */
const errorsAt = (place: number): readonly DiskError[] =>
  Number(process.env.PROVE_FAULTS ?? 30) < 1000
    ? DISK_ERRORS.slice(place % DISK_ERRORS.length).slice(0, 1)
    : DISK_ERRORS;

/** Of a lake all that is left as it is by when and how often it was asked. */
const rowsOf = (dataDir: string) => {
  const lake = openLake(dataDir);
  try {
    const { creators: _, creator_snapshots: __, analyses: ___, ...rows } = lakeRows(lake);
    return rows;
  } finally {
    lake.close();
  }
};

describe.skipIf(disk === undefined)('a disk that fails under', () => {
  test.each(Object.entries(WRITES))(
    '%s: words, and the next time all is done',
    async (_, write) => {
      const { argv, file, after, empty } = write;
      const fresh = async (): Promise<string> => {
        filled ??= makeFilled();
        const dataDir = freshFolder();
        if (empty === undefined)
          cpSync(await filled, dataDir, { recursive: true, preserveTimestamps: true });
        return dataDir;
      };
      const well = await fresh();
      expect(await run(well, argv, disk?.env({ file }))).toMatchObject({ code: 0 });
      const calls = disk?.count() ?? 0;
      for (const [place, share] of after.entries())
        for (const error of errorsAt(place)) {
          const dataDir = await fresh();
          const fault = { file, error, after: Math.floor(share * calls) };
          const { code, err } = await run(dataDir, argv, disk?.env(fault));
          expect({ fault, code, err }).toMatchObject({ fault, code: expect.toBeOneOf([1, 2]) });
          expect(err).toMatch(/the disk|could not be|cannot be/);
          expect(err).not.toMatch(/^\s+at |unknown error|Unknown system/m);
          if (code === 2) expect(err).toMatch(/opened for writing|written to/); // as for one that is read-only
          expect(tornFiles(dataDir)).toEqual([]);
          expect(await run(dataDir, argv)).toMatchObject({ code: 0 });
          expectSound(dataDir);
          expect(rowsOf(dataDir)).toEqual(rowsOf(well));
        }
    },
  );
});
