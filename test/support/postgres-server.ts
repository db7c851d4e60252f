import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { postgresPrograms } from '../../fixtures/postgres-programs.ts';
import { startPostgres } from '../../fixtures/postgres-server.ts';
import { inMemoryFolder } from './in-memory-folder.ts';

/** The PostgreSQL of the tests of this process, on a socket in its own folder. */
export interface TestPostgres {
  /** Address of a ledger in a schema of this name. */
  url(schema: string): string;
  /** Ends it at once, as a crash would; `start` starts it again on its disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

const startServer = async (): Promise<TestPostgres | { missing: string }> => {
  const programs = postgresPrograms();
  if ('missing' in programs) return programs;
  const { bin, as } = programs;
  // root's own scratch folder is closed to whom it becomes; a socket's path must be short, too
  const folder = mkdtempSync(join(inMemoryFolder() ?? '/tmp', 'tlpg-'));
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, ...options], {
    ...as,
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return { missing: `PostgreSQL could not be set up: ${made.stderr.trim().split('\n').at(-1)}` };
  }
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'shared_buffers=16MB',
    'max_connections=60',
    'log_min_messages=log',
    'dynamic_shared_memory_type=mmap', // in its folder: what it leaves when it is killed goes with that
  ];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const launch = () =>
    startPostgres(programs, { folder, args, ready: 'ready to accept connections' });
  let server = await launch();
  return {
    url: (schema) =>
      `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}&schema=${schema}`,
    kill: () => server.end('QUIT'),
    start: async () => {
      server = await launch();
    },
  };
};

let started: ReturnType<typeof startServer> | undefined;

/**
 * Starts a PostgreSQL that all test files of this process share and that ends with it, or says why
 * none can be had here.
 */
export const testPostgres = (): ReturnType<typeof startServer> => {
  started ??= startServer();
  return started;
};
