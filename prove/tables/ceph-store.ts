import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../fixtures/free-port.ts';

const KEY = 'trendlake';
const SECRET = 'trendlake-secret';

const configOf = (folder: string, port: number, monitor: number, gibibytes: number): string => `
[global]
fsid = ${randomUUID()}
mon host = [v2:127.0.0.1:${monitor}]
ms bind msgr1 = false
keyring = ${folder}/keyring
run dir = ${folder}
admin socket = ${folder}/$cluster-$name.asok
log file = ${folder}/$name.log
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
[mon.a]
mon data = ${folder}/mon
[osd.0]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = ${gibibytes * 2 ** 30}
osd max object name len = 460
osd max object namespace len = 64
[client.rgw]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw enable usage log = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw enable quota threads = false
rgw run sync thread = false
`;

/** A store that runs for the proof alone. */
export interface RunningStore {
  readonly endpoint: string;
  /** Environment by which a child process finds it. */
  readonly env: Record<string, string>;
  readonly key: string;
  readonly secret: string;
  stop(): void;
}

/**
 * Starts Ceph's S3 gateway over one monitor and one store in memory, on loopback. The Debian packages
 * radosgw, ceph-mon, ceph-osd and ceph-common must be installed.
 */
export const startCeph = async (folder: string, gibibytes: number): Promise<RunningStore> => {
  for (const name of ['mon', 'osd', 'rgw']) mkdirSync(join(folder, name), { recursive: true });
  const [port, monitor] = [await freePort(), await freePort()];
  const config = join(folder, 'ceph.conf');
  writeFileSync(config, configOf(folder, port, monitor, gibibytes));
  const keyring = join(folder, 'keyring');
  const map = join(folder, 'monmap');
  const daemons: ChildProcess[] = [];
  const run = (command: string, ...args: string[]): void =>
    void execFileSync(command, args, {
      env: { ...process.env, CEPH_CONF: config },
      stdio: 'ignore',
      timeout: 60_000,
    });
  const start = (command: string, ...args: string[]): void =>
    void daemons.push(spawn(command, ['-f', '-c', config, ...args], { stdio: 'ignore' }));
  const caps = (...granted: string[]): string[] =>
    granted.flatMap((one) => ['--cap', ...one.split(': ')]);
  const make = (name: string, ...granted: string[]): void =>
    run('ceph-authtool', keyring, '--gen-key', '-n', name, ...caps(...granted));

  run(
    'ceph-authtool',
    '--create-keyring',
    keyring,
    '--gen-key',
    '-n',
    'mon.',
    ...caps('mon: allow *'),
  );
  make('client.admin', 'mon: allow *', 'osd: allow *', 'mgr: allow *');
  make('client.rgw', 'mon: allow rwx', 'osd: allow rwx');
  make('osd.0', 'mon: allow profile osd', 'osd: allow *');
  run('monmaptool', '--create', '--clobber', '--addv', 'a', `[v2:127.0.0.1:${monitor}]`, map);
  run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring, '-c', config);
  start('ceph-mon', '-i', 'a');
  const osd = randomUUID();
  run('ceph', '-c', config, 'osd', 'new', osd, '0');
  run('ceph-osd', '-i', '0', '-c', config, '--mkfs', '--osd-uuid', osd);
  start('ceph-osd', '-i', '0');
  run(
    'radosgw-admin',
    '-c',
    config,
    '-n',
    'client.rgw',
    'user',
    'create',
    `--uid=proof`,
    '--display-name=proof',
    `--access-key=${KEY}`,
    `--secret-key=${SECRET}`,
  );
  start('radosgw', '-n', 'client.rgw');

  const endpoint = `http://127.0.0.1:${port}`;
  const stop = (): void => {
    for (const daemon of daemons.toReversed()) daemon.kill('SIGKILL'); // it holds nothing to keep
  };
  for (let tried = 0; ; tried += 1) {
    const answers = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answers) break;
    if (tried > 600) {
      stop();
      throw new Error(`radosgw did not answer at ${endpoint}; its logs are in ${folder}`);
    }
    await delay(100);
  }
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: KEY,
    AWS_SECRET_ACCESS_KEY: SECRET,
  };
  return { endpoint, env, key: KEY, secret: SECRET, stop };
};
