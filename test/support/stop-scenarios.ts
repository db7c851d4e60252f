import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import * as faults from '../../fixtures/faults.ts';
import {
  type FaultRule,
  type FaultyUpstream,
  startFaultyUpstream,
} from '../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { storeEvents } from '../../src/alerts/events/outbox.ts';
import { systemClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { withExclusive } from '../../src/lake/exclusive.ts';
import { LAKE_FILE, openLake } from '../../src/lake/open.ts';
import { madeEndpoint, subscribe } from '../alerts/webhooks/made-endpoint.ts';
import { madeEvent } from '../alerts/webhooks/made-event.ts';
import { BIN } from './cli-bin.ts';
import { freshFolder } from './fresh.ts';
import { expectSound, expectWhole, tornFiles } from './lake-invariants.ts';
import { CONCURRENCY, KEY } from './sync-once.ts';

const FOR_EVER = Number.POSITIVE_INFINITY;

/** A `trendlake` command at work. */
export interface Running {
  child: ChildProcess;
  dataDir: string;
  upstream: FaultyUpstream;
  out: string;
  err: string;
  /** Resolves with the exit code, or null when the signal itself ended the process. */
  exit: Promise<number | null>;
}

interface Wish {
  rules?: FaultRule[];
  dataDir?: string;
  env?: NodeJS.ProcessEnv;
}

/** Starts a real `trendlake` against a small world that misbehaves as `rules` say. */
export const startCommand = async (argv: readonly string[], wish: Wish = {}): Promise<Running> => {
  const upstream = await startFaultyUpstream(wish.rules);
  const dataDir = wish.dataDir ?? freshFolder();
  const child = spawn(process.execPath, [BIN, ...argv], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TRENDLAKE_DATA_DIR: dataDir,
      TRENDLAKE_BASE_URL: upstream.baseUrl,
      TRENDLAKE_API_KEY: KEY,
      TRENDLAKE_PLATFORMS: 'tiktok,youtube',
      TRENDLAKE_GROWTH_CALLS: '3',
      TRENDLAKE_CREATOR_CALLS: '2',
      TRENDLAKE_CONCURRENCY: String(CONCURRENCY),
      ...wish.env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const running: Running = { child, dataDir, upstream, out: '', err: '', exit };
  child.stdout.on('data', (chunk) => {
    running.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    running.err += String(chunk);
  });
  return running;
};

/** Waits until a condition holds; the command ending before it is a failure. */
export const until = async (running: Running, holds: () => boolean): Promise<void> => {
  while (!holds()) {
    if (running.child.exitCode !== null || running.child.signalCode !== null)
      throw new Error(`it ended too soon:\n${running.out}\n${running.err}`);
    await delay(1); // the machine may have no other core for it
  }
};

/** A command brought to what it is stopped at. */
export interface Scenario {
  name: string;
  /** Allowed exit codes: 0 as well if the command may finish before the signal arrives. */
  codes: readonly number[];
  /** @param n differs between two stops of one scenario */
  start(n: number): Promise<Running>;
}

/** `sync` once a number of requests have arrived. */
const syncing = async (rules: FaultRule[], arrived: number, env = {}): Promise<Running> => {
  const running = await startCommand(['sync', '--json'], { rules, env });
  await until(running, () => running.upstream.arrivals.length >= arrived);
  return running;
};

const SNAPSHOTS = 60_000;
let large: string | undefined;

/** A copy of a lake whose export takes a while; filled in bulk, past the loader. */
const largeLake = (): string => {
  if (large === undefined) {
    large = freshFolder();
    const lake = openLake(large);
    lake.sqlite.exec(`
      insert into meta (key, value) values ('origin', 'upstream');
      insert into video (id, platform, title) with recursive n(i) as
        (select 0 union all select i + 1 from n where i < 999)
        select 'tt_' || i, 'tiktok', 'Video ' || i from n;
      insert into video_snapshot (video_key, observed_at, views, rate_derived, source)
        with recursive n(i) as (select 0 union all select i + 1 from n where i < ${SNAPSHOTS - 1})
        select 1 + i % 1000, ${WORLD_AT} - (i / 2000) * ${DAY_MS} - i, i, 0, 1 from n;`);
    lake.close();
  }
  const dataDir = freshFolder();
  copyFileSync(join(large, LAKE_FILE), join(dataDir, LAKE_FILE));
  return dataDir;
};

const exporting = async (argv: readonly string[]): Promise<Running> => {
  const running = await startCommand(argv, { dataDir: largeLake() });
  await until(running, () => existsSync(join(running.dataDir, 'parquet')));
  return running;
};

/** `sync` that has come to telling a subscriber who takes the news and never answers. */
const telling = async (): Promise<Running> => {
  const endpoint = await madeEndpoint(() => {});
  const dataDir = freshFolder();
  const lake = openLake(dataDir);
  subscribe(lake, endpoint.url);
  const now = systemClock.now();
  storeEvents(lake, [madeEvent(now)], { now });
  lake.close();
  const running = await startCommand(['sync', '--json'], { dataDir });
  await until(running, () => endpoint.received.length > 0);
  return running;
};

const scheduling = async (rules: FaultRule[], env: NodeJS.ProcessEnv): Promise<Running> => {
  const running = await startCommand(['schedule'], { rules, env });
  await until(running, () => running.err.includes('trendlake schedules'));
  return running;
};

const ALL_OFF = Object.fromEntries(
  ['feed', 'trends', 'hashtags', 'growth', 'creators', 'export', 'prune', 'backup'].map((job) => [
    job,
    'off',
  ]),
);

/** A connection to a service that has sent the beginning of a request. */
const halfAsked = async (url: string, text: string): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}); // it is cut off, which is what is looked at
  await once(socket, 'connect');
  socket.write(text);
  return socket;
};

const serving = async (n: number): Promise<Running> => {
  const running = await startCommand(['serve', '--port', '0', '--json']);
  await until(running, () => running.out.includes('\n'));
  const { url } = JSON.parse(running.out) as { url: string };
  await halfAsked(url, ''); // says nothing
  await (await fetch(`${url}/feed/tiktok`)).text(); // its connection is kept
  if (n % 2 === 0) await halfAsked(url, 'GET /v1/feed/tiktok HTTP/1.1\r\nhost: here\r\n');
  return running;
};

/** Moments at which a command is asked to stop. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'sync waits for its pace',
    codes: [75],
    start: (n) => syncing([], 3 + (n % 3), { TRENDLAKE_RATE_PER_MINUTE: String(3 + (n % 3)) }),
  },
  {
    name: 'sync has a call in flight',
    codes: [75],
    start: (n) =>
      syncing([{ fault: faults.hang, after: 2 + (n % 8), times: FOR_EVER }], 4 + (n % 8)),
  },
  { name: 'sync loads', codes: [75], start: (n) => syncing([], 2 + (n % 8)) },
  { name: 'sync exports', codes: [75, 0], start: () => exporting(['sync', '--json']) },
  { name: 'sync tells a subscriber', codes: [75], start: telling },
  { name: 'export', codes: [75, 0], start: () => exporting(['export', '--full']) },
  {
    name: 'the daemon is idle',
    codes: [0],
    start: () => scheduling([], { TRENDLAKE_SCHEDULES: JSON.stringify(ALL_OFF) }),
  },
  {
    name: 'the daemon syncs',
    codes: [0],
    start: async (n) => {
      const hanging = [{ fault: faults.hang, after: n % 6, times: FOR_EVER }];
      const running = await scheduling(hanging, {});
      await until(running, () => running.upstream.arrivals.length > n % 6);
      return running;
    },
  },
  { name: 'serve has open requests', codes: [0], start: serving },
];

/** End of a stopped command. */
export interface Stopped {
  running: Running;
  code: number | null;
  tookMs: number;
}

/** Sends signals to a command, waits for its end, and checks that it left nothing half and no lock. */
export const stop = async (running: Running, signals: NodeJS.Signals[]): Promise<Stopped> => {
  const sentAt = performance.now();
  for (const signal of signals) running.child.kill(signal);
  const code = await running.exit;
  const tookMs = performance.now() - sentAt;
  const { dataDir, upstream, out, err } = running;
  expect(out + err).not.toContain(KEY);
  expectSound(dataDir);
  expect(tornFiles(dataDir)).toEqual([]);
  for (const name of ['sync', 'export', 'webhook sender'])
    await withExclusive(dataDir, name, systemClock, async () => {});
  await upstream.close();
  return { running, code, tookMs };
};

/** The checks of a lake that only this command has filled. */
export const expectFilledWhole = ({ dataDir, upstream }: Running): void =>
  expectWhole(dataDir, { arrivals: upstream.arrivals, kills: 1, concurrency: CONCURRENCY });
