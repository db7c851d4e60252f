import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { postgresPrograms } from '../../fixtures/postgres-programs.ts';

/** A PostgreSQL of one test file, on a socket in a folder of its own. */
export interface PostgresServer {
  /** Address of a ledger in a schema of this name. */
  url(schema: string): string;
  /** Ends it at once, as a crash would; `start` starts it anew on what is on its disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a PostgreSQL, or says why none can be had here. */
export const startPostgres = async (): Promise<PostgresServer | { missing: string }> => {
  const programs = postgresPrograms();
  if ('missing' in programs) return programs;
  const { bin, as } = programs;
  // root's own scratch folder is closed to whom it becomes; a socket's path must be short, too
  const shared = existsSync('/dev/shm') ? '/dev/shm' : '/tmp';
  const folder = mkdtempSync(join(as.uid === undefined ? tmpdir() : shared, 'tlpg-'));
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, ...options], {
    ...as,
    cwd: folder,
    encoding: 'utf8',
  });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (made.status !== 0) {
    remove();
    return { missing: `PostgreSQL could not be set up: ${made.stderr.trim().split('\n').at(-1)}` };
  }
  const settings = [
    ...['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off'],
    ...['shared_buffers=16MB', 'max_connections=60', 'log_min_messages=log'],
  ];
  const launch = async () => {
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(join(bin, 'postgres'), args, {
      ...as,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (line.includes('ready to accept connections')) break;
    }
    child.stderr.resume();
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${lines.join('\n')}`);
    return child;
  };
  let server = await launch();
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGQUIT'); // its own processes end with it, without writing anything more
    await gone;
  };
  return {
    url: (schema) =>
      `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}&schema=${schema}`,
    kill,
    start: async () => {
      server = await launch();
    },
    remove: async () => {
      await kill();
      remove();
    },
  };
};
