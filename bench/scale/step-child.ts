import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { PLATFORMS } from '../../schema/vocabulary.ts';
import { noticeEvents } from '../../src/alerts/events/notice.ts';
import { systemClock, virtualClock } from '../../src/base/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/base/durations.ts';
import { keepHeapSmall } from '../../src/base/small-memory.ts';
import { loadResponse } from '../../src/ingest/responses/load-response.ts';
import { syncLake } from '../../src/lake/durability.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/lake/search/search-index.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { chooseRefreshes } from '../../src/run/plan/refresh-planner.ts';
import { RunLog } from '../../src/run/run/run-log.ts';
import { decodeResponse } from '../../src/upstream/decode/decode.ts';
import { buildLake, END_AT, idOf, videosOf, wordsOf } from './build-lake.ts';

// One step of bench/scale.ts in its own process, to measure its memory alone. Prints one line:
// milliseconds (of one, where a step repeats something), the peak of memory, and what more it measured.

const [step = '', dataDir = '', number = '0'] = process.argv.slice(2);

const PAGES = 100;
/** Pages after those that are timed, of which the whole journal is kept. */
const JOURNAL_PAGES = 10;
const PAGE_ITEMS = 100;
const PLATFORM = 'tiktok';

interface Measured {
  readonly ms: number;
  readonly [more: string]: number;
}

const timed = async (work: () => unknown): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/** The items of a page: mostly videos of the last days as they are known, one in five new. */
const itemsOf = (page: number, { built, newest }: { built: number; newest: number }) =>
  Array.from({ length: PAGE_ITEMS }, (_, i) => {
    const nth = page * PAGE_ITEMS + i;
    const recent = Math.min(built / 2, 50_000);
    const key = i % 5 === 0 ? newest + 1 + nth : built - ((nth * 7919) % recent);
    const views = 2_000_000 + nth;
    return {
      ...wordsOf(key - (key % 3), built), // the first platform's
      views,
      likes: Math.floor(views / 20),
      engagementRate: 5,
      rank: i + 1,
    };
  });

/** Pages of a night, each its own list; how long one takes, and what it writes to the journal. */
const loadNight = (lake: Lake, nth: number): Measured => {
  const { sqlite } = lake;
  const newest = sqlite.prepare('select max(key) from video').pluck().get() as number;
  const built = videosOf(Number(basename(dataDir)));
  const log = new RunLog(lake);
  const from = END_AT + nth * HOUR_MS;
  const runId = log.begin(['feed'], from);
  const call = sqlite.prepare(
    "insert into calls (run_id, job, request, sent_at, sender) values (?, 'feed', ?, ?, 'bench')",
  );
  const pages = Array.from({ length: PAGES + JOURNAL_PAGES }, (_, page) => {
    const asOf = new Date(from + page * 1000).toISOString();
    const items = itemsOf(page, { built, newest });
    const body = Buffer.from(JSON.stringify({ total: 10_000, page: 1, items, asOf }));
    return { body, callId: Number(call.run(runId, `page ${page}`, from).lastInsertRowid) };
  });
  const load = ({ body, callId }: { body: Buffer; callId: number }, page: number): void => {
    const paging = { limit: PAGE_ITEMS, page: page + 1, offset: page * PAGE_ITEMS };
    const request = { kind: 'feed', platform: PLATFORM, dateRange: '24h', ...paging } as const;
    const response = { status: 200, headers: { 'content-type': 'application/json' }, body };
    const decoded = decodeResponse(request, response);
    const received = { runId, request, callId, response, decoded, receivedAt: from };
    loadResponse(lake, { ...received, isLastPage: page === PAGES - 1 }, undefined, 'later');
  };
  const fromMs = performance.now();
  pages.slice(0, PAGES).forEach(load);
  const ms = (performance.now() - fromMs) / PAGES;
  sqlite.pragma('wal_autocheckpoint = 0');
  sqlite.pragma('wal_checkpoint(TRUNCATE)');
  pages.slice(PAGES).forEach((page, nth) => {
    load(page, PAGES + nth);
  });
  const journalBytes = statSync(`${lake.path}-wal`).size / JOURNAL_PAGES;
  const revised = sqlite.prepare('select count(*) from video_revision').pluck().get() as number;
  if (revised > 0) throw new Error(`${revised} videos got other words than they were built with.`);
  refreshSearch(lake);
  syncLake(lake);
  log.finish(runId, { outcome: 'complete', at: from + HOUR_MS, resumesAt: null, summary: {} });
  return { ms, journalBytes };
};

const inLake = async (measure: (lake: Lake) => Measured | Promise<Measured>): Promise<Measured> => {
  const lake = openLake(dataDir);
  try {
    return await measure(lake);
  } finally {
    lake.close();
  }
};

const clock = virtualClock(END_AT + Number(number) * HOUR_MS + 30 * MINUTE_MS);
const EXPORT_CLOCK = { ...systemClock, now: () => clock.now() };

const TIMELINES = 1000;
const timelines = ({ sqlite }: Lake): Measured => {
  const videos = sqlite.prepare('select max(key) from video').pluck().get() as number;
  const read = sqlite.prepare('select observed_at, views from video_snapshots where video_id = ?');
  const ids = Array.from({ length: TIMELINES }, (_, i) => idOf(1 + ((i * 7_368_787) % videos)));
  const from = performance.now();
  for (const id of ids) read.all(id);
  return { ms: (performance.now() - from) / TIMELINES };
};

const STEPS: Readonly<Record<string, () => Measured | Promise<Measured>>> = {
  build: async () => ({ ms: await timed(() => buildLake(dataDir, Number(number))) }),
  open: async () => ({ ms: await timed(() => openLake(dataDir).close()) }),
  count: () =>
    inLake(async ({ sqlite }) => {
      const count = sqlite.prepare('select count(*) from video_snapshots').pluck();
      return { ms: await timed(() => count.get()) };
    }),
  timelines: () => inLake(timelines),
  night: () => inLake((lake) => loadNight(lake, Number(number))),
  detect: () => inLake(async (lake) => ({ ms: await timed(() => noticeEvents(lake, { clock })) })),
  choose: () =>
    inLake(async (lake) => {
      const runId = lake.sqlite.prepare('select max(id) from runs').pluck().get() as number;
      const budget = { platforms: PLATFORMS, calls: { growth: 1000, creators: 200 } };
      return { ms: await timed(() => chooseRefreshes({ lake, clock, runId }, [budget])) };
    }),
  export: () =>
    inLake(async (lake) => {
      const { durationMs, files } = await exportLake(lake, { clock: EXPORT_CLOCK });
      return { ms: durationMs, wrote: files };
    }),
};

keepHeapSmall(); // as the commands do
const run = STEPS[step];
if (run === undefined) throw new Error(`There is no step ${step}.`);
const { user: userBefore, system: systemBefore } = process.cpuUsage();
const measured = await run();
const { user, system } = process.cpuUsage();
const peakMb = process.resourceUsage().maxRSS / 1024;
const processorMs = (user - userBefore + system - systemBefore) / 1000;
process.stdout.write(`${JSON.stringify({ ...measured, processorMs, peakMb })}\n`);
