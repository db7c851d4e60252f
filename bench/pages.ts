import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, launchBrowser, tell } from '../fixtures/chromium.ts';
import { realPath } from '../fixtures/real-data.ts';
import { HOUR_MS } from '../src/base/durations.ts';
import { openLakeForReading } from '../src/lake/open.ts';
import { prepare, required } from '../src/lake/prepare.ts';

// Size of each page of the dashboard, time to make it and until something is painted, on
// the demo's lake and on an import of real observations where the machine has them. Every page is
// computed for each request: another instant, or another length of its list. Exit code 1 past a limit.
//
//   npm run bench pages -- [--demo DIR] [--real DIR] [--requests 15]
//
// With a folder the lake there is used; without, one is made: a minute each.

const { values } = parseArgs({
  options: {
    demo: { type: 'string' },
    real: { type: 'string' },
    requests: { type: 'string', default: '15' },
  },
});
const requests = Number(values.requests);
const BIN = fileURLToPath(new URL('../src/cli/bin.js', import.meta.url));
const LIMITS = { kib: 150, paintMs: 300 };
const PAINTS = 5;

interface Measured {
  readonly path: string;
  readonly kib: number;
  readonly gzipKib: number;
  readonly p50: number;
  readonly worst: number;
  readonly paintMs: number | undefined;
}

const middle = (spans: readonly number[]): number =>
  spans.toSorted((a, b) => a - b)[Math.floor(spans.length / 2)] ?? Number.NaN;

const made = (dataDir: string, args: readonly string[]): void => {
  const { status } = spawnSync(process.execPath, [BIN, ...args, '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`trendlake ${args.join(' ')} failed`);
};

/** The pages of a lake as addresses, without and with something that makes them other ones. */
const pagesOf = (dataDir: string, newest: number): ((n: number) => string)[] => {
  const lake = openLakeForReading(dataDir);
  const one = (sql: string): string => prepare(lake.sqlite, sql, 'text').get() ?? '';
  const video = one(
    'select v.id from video_snapshot s join video v on v.key = s.video_key group by s.video_key order by count(*) desc limit 1',
  );
  const creator = one(
    "select platform || '/' || user from video where user is not null group by platform, user order by count(*) desc limit 1",
  );
  const tag = one(
    'select h.tag from video_hashtag t join hashtag h on h.key = t.hashtag_key group by h.key order by count(*) desc limit 1',
  );
  lake.close();
  const then = (n: number): string =>
    new Date(newest - (n + 1) * HOUR_MS).toISOString().slice(0, 16);
  const timed = (path: string) => (n: number) =>
    n < 0 ? path : `${path}${path.includes('?') ? '&' : '?'}asOf=${then(n)}Z`;
  const query = new URLSearchParams({
    sql: `select observed_at, views from video_history where id = '${video}' order by 1`,
  });
  return [
    ...['/', '/trends', '/trends/youtube', `/videos/${encodeURIComponent(video)}`].map(timed),
    ...['/creators', `/creators/${creator.split('/').map(encodeURIComponent).join('/')}`].map(
      timed,
    ),
    ...['/hashtags', `/hashtags/${encodeURIComponent(tag)}`, '/events', '/forecasts'].map(timed),
    ...['/search?q=the', '/pipeline?limit=50'].map((path) =>
      path.startsWith('/pipeline')
        ? (n: number) => (n < 0 ? path : `/pipeline?limit=${49 - n}`)
        : timed(path),
    ),
    () => '/query',
    () => `/query?${query}`,
    () => '/docs',
  ];
};

const serving = async (dataDir: string, at: number) => {
  const args = ['serve', '--port', '0', '--json', '--at', new Date(at).toISOString()];
  const child = spawn(process.execPath, [BIN, ...args, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, TRENDLAKE_LOG: 'off' },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    const { dashboard } = JSON.parse(line) as { dashboard: string };
    const stop = async (): Promise<void> => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    };
    return { dashboard, stop };
  }
  throw new Error('the service ended before it listened');
};

const paintOf = async (
  browser: Awaited<ReturnType<typeof launchBrowser>>['browser'] | undefined,
  address: string,
): Promise<number | undefined> => {
  if (browser === undefined) return undefined;
  const spans: number[] = [];
  for (let n = 0; n < PAINTS; n++) {
    const page = await browser.newPage();
    await page.goto(address, { waitUntil: 'load' });
    await page.waitForFunction(
      `performance.getEntriesByName('first-contentful-paint').length > 0`,
      { timeout: 10_000 },
    );
    spans.push(
      await tell<number>(
        page,
        `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
      ),
    );
    await page.close();
  }
  return middle(spans);
};

const measure = async (dataDir: string): Promise<Measured[]> => {
  const lake = openLakeForReading(dataDir);
  const newest = required(
    prepare(lake.sqlite, 'select max(observed_at) from video_snapshot', 'number').get(),
  );
  lake.close();
  const { dashboard, stop } = await serving(dataDir, newest + 20 * 60_000);
  const opened = chromium === undefined ? undefined : await launchBrowser(['--disable-gpu']);
  try {
    const measured: Measured[] = [];
    for (const page of pagesOf(dataDir, newest)) {
      const address = new URL(page(-1), dashboard).href;
      const plain = await fetch(address, { headers: { 'accept-encoding': 'identity' } });
      if (!plain.ok) throw new Error(`${address} answered ${plain.status}`);
      const bytes = (await plain.arrayBuffer()).byteLength;
      const packed = await fetch(address, { headers: { 'accept-encoding': 'gzip' } });
      const gzipBytes = Number(packed.headers.get('content-length') ?? Number.NaN);
      await packed.arrayBuffer();
      const spans: number[] = [];
      for (let n = 0; n < requests; n++) {
        const from = performance.now();
        await (await fetch(new URL(page(n), dashboard))).arrayBuffer();
        spans.push(performance.now() - from);
      }
      measured.push({
        path: page(-1).slice(0, 44),
        kib: bytes / 1024,
        gzipKib: gzipBytes / 1024,
        p50: middle(spans),
        worst: Math.max(...spans),
        paintMs: await paintOf(opened?.browser, address),
      });
    }
    return measured;
  } finally {
    await opened?.close();
    await stop();
  }
};

const print = (name: string, limitMs: number, measured: readonly Measured[]): boolean => {
  console.log(
    `\n${name} (p50 under ${limitMs} ms, under ${LIMITS.kib} KiB, painted under ${LIMITS.paintMs} ms)`,
  );
  const text = (value: number | undefined, digits = 0): string =>
    (value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits)).padStart(8);
  console.log(`${'page'.padEnd(46)}     KiB  gzipped  p50 ms    worst painted`);
  let isWithin = true;
  for (const { path, kib, gzipKib, p50, worst, paintMs } of measured) {
    const isOver = kib > LIMITS.kib || p50 > limitMs || (paintMs ?? 0) > LIMITS.paintMs;
    if (isOver) isWithin = false;
    console.log(
      `${path.padEnd(46)}${text(kib)}${text(gzipKib, 1)}${text(p50, 1)}${text(worst)}${text(paintMs)}${isOver ? '  OVER' : ''}`,
    );
  }
  return isWithin;
};

const folder = mkdtempSync(join(tmpdir(), 'trendlake-pages-'));
try {
  const demo = values.demo ?? join(folder, 'demo');
  if (values.demo === undefined) made(demo, ['demo', '--nights', '14', '--at', '2026-11-21']);
  const results = [print('the lake of the demo', 100, await measure(demo))];
  const real = values.real ?? (realPath === undefined ? undefined : join(folder, 'real'));
  if (real === undefined)
    console.log('\nThere are no real observations on this machine: their import is not measured.');
  else {
    if (values.real === undefined && realPath !== undefined) made(real, ['import', realPath]);
    results.push(print('an import of real observations', 300, await measure(real)));
  }
  process.exitCode = results.every((isWithin) => isWithin) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
