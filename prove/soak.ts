import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { STRIKING_ANYWHERE } from '../fixtures/fault-cases.ts';
import { startFaultyUpstream } from '../fixtures/faulty-upstream.ts';
import { lakeRows } from '../fixtures/lake-rows.ts';
import { WORLD_AT } from '../fixtures/small-world.ts';
import { systemClock } from '../src/base/clock.ts';
import { HOUR_MS } from '../src/base/durations.ts';
import { ALLOCATOR, HEAP } from '../src/base/small-memory.ts';
import { replayResponses } from '../src/ingest/responses/replay.ts';
import { LAKE_FILE, openLake } from '../src/lake/open.ts';
import { exportLake } from '../src/output/parquet/export-lake.ts';
import { type CheckResult, examine } from '../src/run/maintenance/doctor.ts';
import { soakRequests } from './soak/requests.ts';

// A soak: one process syncs, exports and backs up without a pause against an upstream of which 2 %
// of the responses are faulty, another serves the same data directory to a reader, meanwhile. Then
// `serve` gets mixed requests as fast as it responds. Memory is that of Linux's /proc; the heap is what
// lives after a collection. More than 250 MB resident, or a rise over the last half, is a violation.
//
//   npm run prove soak [-- --minutes 10 --runs 500 --faults 0.02 --requests 1000000]

const { env: given } = process;
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: given.PROVE_SOAK_MINUTES ?? '10' },
    runs: { type: 'string', default: given.PROVE_SOAK_RUNS ?? '500' },
    faults: { type: 'string', default: '0.02' },
    requests: { type: 'string', default: given.PROVE_SOAK_REQUESTS ?? '1000000' },
  },
});
const leastMs = Number(values.minutes) * 60_000;
const [leastRuns, requests] = [values.runs, values.requests].map(Number) as [number, number];
const share = Number(values.faults);
const RESIDENT_MOST_MB = 250;
/** Rise of the resident memory from the sixth tenth to the last; caches are full by then. */
const RISE_MOST = 0.1;
/** Shorter ones end while caches fill, so they show the bound alone. */
const FLAT_FROM = { runs: 300, requests: 500_000 };
const SAMPLE_EVERY_MS = 1000;
const COLLECT_EVERY = 30; // samples: collecting more often would hide what is garbage
const READ_EVERY_MS = 100;
/** Share of the start left out of the slope: caches fill, code is compiled. */
const WARM_UP = 0.4;
const HOURS_A_SECOND = 0.5; // of the made-up world, so that lists move and days pass
const KEY = 'tl_live_soak-soak-soak-soak-soak-soak';
const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'src', 'cli', 'bin.js');

/** Waits of a minute and more would leave nothing to soak. */
const TOO_LONG = ['429, Retry-After of two hours', '429, Retry-After as a date'];
const pool = Object.entries(STRIKING_ANYWHERE).filter(([name]) => !TOO_LONG.includes(name));
let struck = 0;
const upstream = await startFaultyUpstream(() => {
  if (Math.random() >= share) return undefined;
  struck += 1;
  return pool[Math.floor(Math.random() * pool.length)]?.[1];
});

const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-soak-'));
openLake(dataDir).close();
const env = { ...process.env, TRENDLAKE_DATA_DIR: dataDir };
const made = execFileSync(
  process.execPath,
  [
    BIN,
    'keys',
    'create',
    '--use-case',
    'soak',
    '--rate',
    '100000',
    '--month',
    '100000000',
    '--json',
  ],
  { env, encoding: 'utf8' },
);
const { key } = JSON.parse(made) as { key: string };

// as `schedule` starts itself
const worker = fork(
  join(import.meta.dirname, 'soak', 'worker.ts'),
  [dataDir, upstream.baseUrl, KEY],
  {
    execArgv: [...HEAP, '--expose-gc'],
    env: { ...process.env, ...ALLOCATOR },
  },
);
const service = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [line] = (await once(createInterface({ input: service.stdout }), 'line')) as [string];
const { url } = JSON.parse(line) as { url: string };

/** Resident megabytes of a process, or 0 once it is gone. */
const residentMb = ({ pid }: ChildProcess): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
};
const handles = ({ pid }: ChildProcess): number => readdirSync(`/proc/${pid}/fd`).length;
const walMb = (): number => {
  const path = join(dataDir, `${LAKE_FILE}-wal`);
  return existsSync(path) ? statSync(path).size / (1 << 20) : 0;
};

let ended: Record<string, number> | undefined;
let heapMb = 0;
let runs = 0;
interface Stated {
  readonly runs?: number;
  readonly heapUsed?: number;
  readonly outcomes?: Record<string, number>;
}
worker.on('message', (stated: Stated) => {
  runs = stated.runs ?? runs;
  heapMb = stated.heapUsed === undefined ? heapMb : stated.heapUsed / (1 << 20);
  ended = stated.outcomes ?? ended;
});

const READS = [
  '/feed/tiktok',
  '/feed/youtube?limit=100&page=2',
  '/trends/tiktok/week',
  '/hashtags',
  '/search?q=video',
  '/videos/tt_1',
  '/videos/tt_1/growth',
  '/creators/tiktok/user1',
];
const reads: Record<string, number> = {};
const isOver = new AbortController();
const readOn = async (): Promise<void> => {
  for (let n = 0; !isOver.signal.aborted; n++) {
    const response = await fetch(url + READS[n % READS.length], {
      headers: { authorization: `Bearer ${key}` },
    });
    await response.text();
    reads[response.status] = (reads[response.status] ?? 0) + 1;
    await delay(READ_EVERY_MS);
  }
};

interface Sample {
  atMs: number;
  syncMb: number;
  heapMb: number;
  serveMb: number;
  syncHandles: number;
  serveHandles: number;
  walMb: number;
}
const startedAt = performance.now();
const samples: Sample[] = [];
const reading = readOn();
while (performance.now() - startedAt < leastMs || runs < leastRuns) {
  await delay(SAMPLE_EVERY_MS);
  const atMs = performance.now() - startedAt;
  upstream.at = WORLD_AT + Math.floor((atMs / 1000) * HOURS_A_SECOND) * HOUR_MS;
  worker.send(samples.length % COLLECT_EVERY === 0 ? 'collect' : 'sample');
  samples.push({
    atMs,
    heapMb,
    walMb: walMb(),
    syncMb: residentMb(worker),
    serveMb: residentMb(service),
    syncHandles: handles(worker),
    serveHandles: handles(service),
  });
}
const lastsMs = performance.now() - startedAt;
isOver.abort();
await reading;
const exits = [worker, service].map((child) => once(child, 'exit'));
worker.kill('SIGTERM');
service.kill('SIGTERM');
const codes = (await Promise.all(exits)).map(([code]) => Number(code));
await upstream.close();

/** Megabytes an hour by least squares over the samples after warm-up, and twice its standard error. */
const slopeOf = (what: 'syncMb' | 'heapMb' | 'serveMb'): string => {
  const late = samples.filter(({ atMs }) => atMs >= lastsMs * WARM_UP);
  const mean = (of: (sample: Sample) => number): number =>
    late.reduce((sum, sample) => sum + of(sample), 0) / late.length;
  const hours = ({ atMs }: Sample): number => atMs / HOUR_MS;
  const [meanHours, meanMb] = [mean(hours), mean((sample) => sample[what])];
  const spread = late.reduce((sum, sample) => sum + (hours(sample) - meanHours) ** 2, 0);
  const slope =
    late.reduce((sum, s) => sum + (hours(s) - meanHours) * (s[what] - meanMb), 0) / spread;
  const left = late.reduce(
    (sum, s) => sum + (s[what] - meanMb - slope * (hours(s) - meanHours)) ** 2,
    0,
  );
  const error = Math.sqrt(left / (late.length - 2) / spread);
  const ends = [late[0], late.at(-1)].map((sample) => sample?.[what].toFixed(1));
  return `${slope.toFixed(1)} ± ${(2 * error).toFixed(1)} MB/h (${ends.join(' to ')} MB)`;
};

/** Mean megabytes in each tenth of the time, to see whether it levels off. */
const tenthsOf = (megabytes: readonly number[]): number[] =>
  Array.from({ length: 10 }, (_, tenth) => {
    const part = megabytes.filter((_, n) => Math.floor((n / megabytes.length) * 10) === tenth);
    return Math.round(part.reduce((sum, of) => sum + of, 0) / part.length);
  });

/** In what the resident memory is not as promised. */
const memoryFaults = (of: string, megabytes: readonly number[], isLong: boolean): string[] => {
  const most = Math.max(...megabytes);
  const tenths = tenthsOf(megabytes);
  const [sixth = 0, last = 0] = [tenths[5], tenths.at(-1)];
  return [
    ...(most > RESIDENT_MOST_MB ? [`${of} took ${Math.round(most)} MB`] : []),
    ...(isLong && last > sixth * (1 + RISE_MOST)
      ? [`${of} rose from ${sixth} to ${last} MB over the last half`]
      : []),
  ];
};

const residentOf = (what: 'syncMb' | 'serveMb'): number[] => samples.map((of) => of[what]);
const askedMb = await soakRequests(requests);
const lake = openLake(dataDir);
const count = (sql: string): number => lake.sqlite.prepare(sql).pluck().get() as number;
const ledger = count('select count(*) from calls');
const unanswered = count('select count(*) from calls where status is null');
const unheard = lake.sqlite
  .prepare(
    'select error, count(*) as calls from calls where status is null group by error order by calls desc limit 5',
  )
  .all() as { error: string; calls: number }[];
// the end of the soak may have cut an export off; the next one completes it
await exportLake(lake, { clock: systemClock, here: true });
const findings: CheckResult[] = [];
for await (const finding of examine({ dataDir }, systemClock))
  if (!finding.ok) findings.push(finding);
const rebuiltDir = mkdtempSync(join(tmpdir(), 'trendlake-soak-replayed-'));
const rebuilt = openLake(rebuiltDir);
await replayResponses(lake, rebuilt);
const replayed = JSON.stringify(lakeRows(rebuilt)) === JSON.stringify(lakeRows(lake));
const lakeMb = statSync(lake.path).size / (1 << 20);
const missing = ledger - upstream.arrivals.length;
const violations = [
  ...(missing < 0 || missing > unanswered ? [`ledger minus arrivals: ${missing}`] : []),
  ...(codes.some((code) => code !== 0) ? [`exit codes ${codes.join(', ')}`] : []),
  ...(replayed ? [] : ['a replay of the kept responses does not give the same rows']),
  ...Object.keys(reads).flatMap((code) => (/^(200|404)$/.test(code) ? [] : [`read: ${code}`])),
  ...findings.map(({ check, detail }) => `${check}: ${detail}`),
  ...memoryFaults('sync', residentOf('syncMb'), runs >= FLAT_FROM.runs),
  ...memoryFaults('serve, read', residentOf('serveMb'), runs >= FLAT_FROM.runs),
  ...memoryFaults('serve, asked', askedMb, requests >= FLAT_FROM.requests),
];
rebuilt.close();
lake.close();
for (const folder of [dataDir, rebuiltDir]) rmSync(folder, { recursive: true, force: true });

const warm = samples.find(({ atMs }) => atMs >= lastsMs * WARM_UP);
const last = samples.at(-1);
/** After warm-up, at the end, and at most. */
const handlesOf = (what: 'syncHandles' | 'serveHandles'): string =>
  `${warm?.[what]} after warm-up, ${last?.[what]} at the end, ${Math.max(...samples.map((sample) => sample[what]))} at most`;
const say = (what: string, figure: string): void => {
  process.stdout.write(`${what.padEnd(38)}${figure}\n`);
};
const list = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ');
say('minutes, runs, requests', `${(lastsMs / 60_000).toFixed(1)}, ${runs}, ${requests}`);
say('calls, faults among them', `${upstream.arrivals.length}, ${struck}`);
say('ledger minus arrivals', `${missing} (${unanswered} calls had no response)`);
for (const { error, calls } of unheard) say('  no response', `${calls}: ${error}`);
say('runs', list(ended ?? {}));
say('reads of the service by status', list(reads));
say('memory slope, sync', slopeOf('syncMb'));
say('memory slope, sync, live heap', slopeOf('heapMb'));
say('memory slope, serve', slopeOf('serveMb'));
/** By tenth, and at most. */
const residentText = (megabytes: readonly number[]): string =>
  `${tenthsOf(megabytes).join(' ')}; at most ${Math.round(Math.max(...megabytes))}`;
say('resident MB by tenth, sync', residentText(residentOf('syncMb')));
say('resident MB by tenth, serve', residentText(residentOf('serveMb')));
say('resident MB by tenth, serve asked', residentText(askedMb));
say('open handles, sync', handlesOf('syncHandles'));
say('open handles, serve', handlesOf('serveHandles'));
say('largest WAL', `${Math.max(...samples.map((sample) => sample.walMb)).toFixed(1)} MB`);
say('lake', `${lakeMb.toFixed(1)} MB`);
say('violations', violations.length === 0 ? 'none' : violations.join('; '));
process.exitCode = violations.length === 0 ? 0 : 1;
