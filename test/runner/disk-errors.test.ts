import { execFile } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { type FaultyUpstream, startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { openLake } from '../../src/lake/open.ts';
import { BIN } from '../support/cli-bin.ts';
import { freshFolder } from '../support/fresh.ts';
import { KEY } from '../support/sync-once.ts';

/** Syncs in a process of its own whose files may grow to so many bytes; without, to any size. */
const syncWithin = (
  dataDir: string,
  { baseUrl }: FaultyUpstream,
  bytes?: number,
): Promise<{ code: number; err: string }> => {
  const env = {
    ...{ PATH: process.env.PATH, TRENDLAKE_DATA_DIR: dataDir, TRENDLAKE_PLATFORMS: 'tiktok' },
    ...{ TRENDLAKE_BASE_URL: baseUrl, TRENDLAKE_API_KEY: KEY, TRENDLAKE_LIST_ITEMS: '100' },
    ...{ TRENDLAKE_GROWTH_CALLS: '2', TRENDLAKE_CREATOR_CALLS: '1' },
  };
  const limit = bytes === undefined ? '' : `ulimit -f ${bytes / 512}; `; // in blocks of 512 bytes
  const command = `${limit}exec "$0" "$@"`;
  const argv = ['-c', command, process.execPath, BIN, 'sync', '--no-export'];
  return new Promise((resolve) =>
    execFile('/bin/sh', argv, { env }, (error, _, err) =>
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
    const upstream = await startFaultyUpstream();
    onTestFinished(() => upstream.close());
    const dataDir = freshFolder();
    openLake(dataDir).close();
    const { code, err } = await syncWithin(dataDir, upstream, kibibytes * 1024);
    expect(err).toMatch(/trendlake: .*cannot be written: the disk/);
    expect(err).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
    expect(await syncWithin(dataDir, upstream)).toMatchObject({ code: 0 });
    const lake = openLake(dataDir);
    expect(lake.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    lake.close();
  },
);
