import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DAY_MS, HOUR_MS } from '../src/base/durations.ts';
import { createKey } from '../src/lake/keys/keys.ts';
import { openServiceDb } from '../src/lake/keys/service-db.ts';
import { LAKE_FILE, openLake } from '../src/lake/open.ts';
import { planKeep } from '../src/run/maintenance/keep.ts';
import { END_AT } from './scale/build-lake.ts';
import { startChild } from './serve/child.ts';

// The job `keep` on a lake of N snapshots, 200 a video, hourly, over 400 days: its time, the bytes before
// and after, and the latency of the service in the meantime.
//
//   npm run bench keep [-- 10000000]

const [SNAPSHOTS = 200_000] = process.argv.slice(2).map(Number);
const A_VIDEO = 200;
const SPAN_MS = 400 * DAY_MS;
const KEEP = { snapshots: { full: 62 * DAY_MS, daily: 365 * DAY_MS } };
const KEEP_TEXT = '{"snapshots": {"full": "62d", "daily": "1y"}}';
const CHILD = fileURLToPath(new URL('./keep/keep-child.ts', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
const print = (label: string, text: string): void => console.log(`${label.padEnd(34)}${text}`);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const lakeBytes = (): number => statSync(join(folder, LAKE_FILE)).size;

const build = (): void => {
  const lake = openLake(folder);
  const { sqlite } = lake;
  const videos = Math.ceil(SNAPSHOTS / A_VIDEO);
  const span = SPAN_MS - A_VIDEO * HOUR_MS;
  sqlite.pragma('synchronous = OFF');
  sqlite
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < @videos)
       insert into video (key, id, platform, title, user, created_at, first_seen_at)
       select i, 'tt_' || i, 'tiktok', 'clip ' || i, 'user' || (i % 1000),
         @from + i * @gap, @from + i * @gap from n`,
    )
    .run({ videos, from: END_AT - SPAN_MS, gap: Math.floor(span / videos) });
  const nth = JSON.stringify(Array.from({ length: A_VIDEO }, (_, i) => i));
  sqlite
    .prepare(
      `insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source)
       select v.key, v.first_seen_at + s.value * ${HOUR_MS}, 1000 + s.value * 97 + (v.key * s.value) % 89,
         s.value, 1, 0 from video v cross join json_each(?) s`,
    )
    .run(nth);
  sqlite.exec('delete from search_pending');
  lake.close();
};

let refused = 0;
/** Sends requests one after another until `isOver`. @returns milliseconds of each */
const latencies = async (origin: string, key: string, isOver: () => boolean): Promise<number[]> => {
  const took: number[] = [];
  for (let n = 1; !isOver() || took.length < 20; n++) {
    const id = `tt_${1 + ((n * 7919) % Math.ceil(SNAPSHOTS / A_VIDEO))}`;
    const from = performance.now();
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${origin}/v1/videos/${id}/growth`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) refused += 1;
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b);
};

const quantile = (sorted: readonly number[], share: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1)} ms`;

const show = (label: string, took: readonly number[]): void =>
  print(
    label,
    `median ${quantile(took, 0.5)}, 99 % ${quantile(took, 0.99)}, worst ${quantile(took, 1)} of ${took.length}`,
  );

try {
  build();
  const before = lakeBytes();
  print('snapshots', SNAPSHOTS.toLocaleString('en'));
  const lake = openLake(folder);
  const from = performance.now();
  const planned = planKeep(lake, KEEP, END_AT);
  print('plan --keep', `${((performance.now() - from) / 1000).toFixed(2)} s`);
  lake.close();
  const service = openServiceDb(folder);
  const limits = { tier: 'enterprise', ratePerMinute: 100_000, callsPerMonth: 1e9 } as const;
  const { key } = createKey(service, { useCase: 'bench', ...limits }, END_AT);
  service.close();
  const child = await startChild('service', folder, END_AT);
  try {
    let left = 500;
    show('growth before', await latencies(child.origin, key, () => --left <= 0));
    let isOver = false;
    const args = [CHILD, folder, KEEP_TEXT, String(END_AT)];
    const work = promisify(execFile)(process.execPath, args).finally(() => {
      isOver = true;
    });
    const [{ stdout }, took] = await Promise.all([
      work,
      latencies(child.origin, key, () => isOver),
    ]);
    const { removed, keptMs, allMs, processorMs, peakMb } = JSON.parse(stdout);
    show('growth meanwhile', took);
    print('removed, planned', `${removed.video_snapshots} of ${planned[0]?.removed}`);
    print(
      'keep',
      `${(keptMs / 1000).toFixed(1)} s, with giving back ${(allMs / 1000).toFixed(1)} s, processor ${(processorMs / 1000).toFixed(1)} s`,
    );
    print('responses of another status', String(refused));
    print('memory', `${peakMb.toFixed(0)} MB`);
    print(
      'bytes',
      `${megabytes(before)} to ${megabytes(lakeBytes())}, planned saving ${megabytes(planned[0]?.bytes ?? 0)}`,
    );
  } finally {
    await child.stop();
  }
} finally {
  rmSync(folder, { recursive: true });
}
