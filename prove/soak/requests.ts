import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildLake, END_AT } from '../../bench/serve/build-lake.ts';
import { startChild } from '../../bench/serve/child.ts';
import { startAsker } from '../../bench/serve/start-asker.ts';
import { PLATFORMS } from '../../schema/vocabulary.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/base/durations.ts';
import { isoOf } from '../../src/base/iso.ts';
import { createKey } from '../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';

// Mixed requests to `serve` as fast as it responds, and its memory meanwhile. Addresses come back as
// they do from people: few of them often, most now and then. Half of the askers take gzip.

const VIDEOS = 5400;
const SNAPSHOTS = 10;
const ADDRESSES = 4000; // of each kind
const DRAWN = 200_000;
const ASKERS = 2;
const CONNECTIONS = 4; // of an asker
const SAMPLE_EVERY_MS = 1000;
const PREFIXES = ['tt', 'ig', 'yt'] as const;

const videoAt = (n: number): string => {
  const key = 1 + ((n * 7919) % VIDEOS);
  return `${PREFIXES[key % PREFIXES.length]}_${key}`;
};
const platformAt = (n: number): string => PLATFORMS[n % PLATFORMS.length] ?? 'tiktok';
const KINDS: readonly ((n: number) => string)[] = [
  (n) => `/v1/videos/${videoAt(n)}/growth`,
  (n) => `/v1/videos/${videoAt(n)}`,
  (n) => `/v1/search?q=${encodeURIComponent(`number ${1 + (n % VIDEOS)}`)}&limit=${1 + (n % 50)}`,
  (n) => `/v1/trends/${platformAt(n)}/week?asOf=${isoOf(END_AT - n * 37 * MINUTE_MS)}`,
  (n) => `/v1/feed/${platformAt(n)}?asOf=${isoOf(END_AT - n * HOUR_MS)}`,
  (n) => `/v1/feed/${platformAt(n)}?page=${1 + (n % 37)}&limit=${10 + (n % 90)}`,
  (n) => `/v1/hashtags?limit=${1 + (n % 100)}&page=${1 + (n % 40)}`,
  () => '/v1/feed/tiktok?limit=50',
];

/** Addresses in the order they are asked, the same in every run. */
const drawnPaths = (): string[] => {
  let state = 7;
  const draw = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: DRAWN }, () => {
    const kind = KINDS[Math.floor(draw() * KINDS.length)] ?? (() => '/v1/feed/tiktok');
    return kind(Math.floor(ADDRESSES * draw() ** 2));
  });
};

/** Resident megabytes of `serve` over the time that `count` mixed requests took, sampled each second. */
export const soakRequests = async (count: number): Promise<number[]> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-soak-requests-'));
  buildLake(dataDir, VIDEOS, SNAPSHOTS);
  const db = openServiceDb(dataDir);
  const wish = { tier: 'enterprise', ratePerMinute: 100_000_000, callsPerMonth: 1e9 } as const;
  const { key } = createKey(db, { useCase: 'soak', ...wish }, END_AT);
  db.close();
  const child = await startChild('service', dataDir, END_AT);
  const paths = drawnPaths();
  const askers = Array.from({ length: ASKERS }, (_, n) => {
    const own = [...paths.slice((n * DRAWN) / ASKERS), ...paths.slice(0, (n * DRAWN) / ASKERS)];
    const headers: Record<string, string> = n % 2 === 0 ? { 'accept-encoding': 'gzip' } : {};
    const work = { origin: child.origin, paths: own, count: count / ASKERS, keys: [key], headers };
    return startAsker({ ...work, connections: CONNECTIONS, restMs: 0 }).asked;
  });
  const residentMb: number[] = [];
  const isOver = new AbortController();
  const sampling = (async () => {
    while (!isOver.signal.aborted) {
      residentMb.push(child.memoryMb()?.resident ?? 0);
      await delay(SAMPLE_EVERY_MS);
    }
  })();
  try {
    await Promise.all(askers);
  } finally {
    isOver.abort();
    await sampling;
    await child.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
  return residentMb;
};
