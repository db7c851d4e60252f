import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOnFreePort } from '../../fixtures/free-port.ts';
import type { PostgresPrograms } from '../../fixtures/postgres-programs.ts';
import { startPostgres } from '../../fixtures/postgres-server.ts';

/** A primary and its synchronous standby on loopback, on a real disk. */
export interface PostgresPair {
  /** Address of the ledger: both hosts, so that a promoted standby is found. */
  readonly url: string;
  /** Kills the standby, which commits of the primary then wait for; and starts it again. */
  endStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Kills the primary as a failing machine would, and makes the standby the primary. */
  failOver(): Promise<void>;
  /** Stops all processes of the primary, so that its connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Sends a signal to a server and its children, each of which leads its own process group. */
const signalServer = (data: string, signal: 'SIGSTOP' | 'SIGCONT'): void => {
  const [server = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(server), signal); // first, so that it starts no other child
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const children = [...stdout.matchAll(/(\d+) +(\d+)/g)].flatMap(([, pid = '', parent]) =>
    parent === server ? [pid] : [],
  );
  spawnSync('kill', ['-s', signal.slice('SIG'.length), ...children]); // one may have ended meanwhile
};

/** Starts a pair; what it needs beside the programs is a disk. */
export const startPair = async (programs: PostgresPrograms): Promise<PostgresPair> => {
  const { bin, as } = programs;
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-fleet-'));
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
  const program = (name: string, args: readonly string[]): void => {
    const { status, stderr } = spawnSync(join(bin, name), args, {
      ...as,
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  };
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  program('initdb', ['-D', one, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  const common = [
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'wal_level = replica',
    'shared_buffers = 128MB',
    'max_connections = 100',
    'fsync = on',
    'synchronous_commit = on',
  ];
  appendFileSync(join(one, 'postgresql.conf'), `${common.join('\n')}\n`);
  cpSync(one, two, { recursive: true });
  chmodSync(two, 0o700);
  appendFileSync(join(one, 'postgresql.conf'), "synchronous_standby_names = 'two'\n");
  writeFileSync(join(two, 'standby.signal'), '');
  if (as.uid !== undefined && as.gid !== undefined)
    spawnSync('chown', ['-R', `${as.uid}:${as.gid}`, two]);

  const launch = (data: string, port: number, ready: string) =>
    startPostgres(programs, { folder, args: ['-D', data, '-p', `${port}`], ready });
  const { port: primary, server: primaryServer } = await startOnFreePort((port) =>
    launch(one, port, 'ready to accept connections'),
  );
  appendFileSync(
    join(two, 'postgresql.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primary} user=postgres application_name=two'\n`,
  );
  const launchStandby = (port: number) => launch(two, port, 'started streaming WAL');
  const started = await startOnFreePort(launchStandby);
  const standby = started.port;
  let standbyServer = started.server;
  return {
    url: `postgres://postgres@127.0.0.1:${primary},127.0.0.1:${standby}/postgres`,
    endStandby: () => standbyServer.end('QUIT'),
    startStandby: async () => {
      standbyServer = await launchStandby(standby);
    },
    failOver: async () => {
      await primaryServer.end('KILL');
      program('pg_ctl', ['-D', two, '-w', 'promote']);
    },
    freeze: () => signalServer(one, 'SIGSTOP'),
    thaw: () => signalServer(one, 'SIGCONT'),
    stop: async () => {
      await primaryServer.end('QUIT');
      await standbyServer.end('QUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
