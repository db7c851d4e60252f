import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { answeredCall } from '../fixtures/answered-call.ts';
import { virtualClock } from '../src/base/clock.ts';
import { loadResponse } from '../src/ingest/responses/load-response.ts';
import { rowsChanged } from '../src/ingest/writers/tally.ts';
import { openLake } from '../src/lake/open.ts';
import { RunLog } from '../src/run/run/run-log.ts';
import { LakeLedger } from '../src/upstream/throttle/lake-ledger.ts';
import { itemsOf, type MadePage, pagesOf, START_AT } from './load/made-pages.ts';
import { type Cost, timed } from './load/timed.ts';

// Pages of 100 videos, body to commit: a first load of videos nobody knows, then the same videos with
// other counts, twice. Beside it what somebody writes who has no trendlake: the page parsed, its videos
// upserted and their counts inserted, with the same columns and indices, in one transaction a page,
// WAL and synchronous=FULL as ours. The peer has no search, hashtags, rankings, ledger, run or stored
// bodies. Both take turns page by page in one process.
//
//   npm run bench load-peer [-- --pages 300]

const { values } = parseArgs({ options: { pages: { type: 'string', default: '300' } } });
const PAGES = Number(values.pages);
const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));

/** One that loads a page, and the journal it writes. */
interface Contender {
  load(page: MadePage): void;
  journal: string;
  close(): void;
}

const nextOf = (request: MadePage['request']): MadePage['request'] =>
  'page' in request ? { ...request, page: request.page + 1 } : request;

const trendlake = (): Contender => {
  const lake = openLake(join(folder, 'ours'));
  const clock = virtualClock(START_AT);
  const limits = {
    ratePerMinute: 1_000_000,
    callsPerMonth: 1_000_000_000,
    quotaReset: 'calendar',
    timeoutMs: 1000,
  };
  const ledger = new LakeLedger(lake, clock, limits, 'bench');
  const log = new RunLog(lake);
  const runId = log.begin(['feed'], START_AT);
  return {
    journal: `${lake.path}-wal`,
    load: ({ request, line, body, at }) => {
      clock.advanceTo(at);
      const admission = ledger.admit({ runId, job: 'feed', request: line });
      if (!('callId' in admission)) throw new Error('a call was not admitted');
      const { callId } = admission;
      const response = { status: 200, headers: { 'content-type': 'application/json' }, body };
      const call = answeredCall({ runId, request, callId, response, receivedAt: at });
      loadResponse(lake, call, (counts) => {
        const ended = { status: 200, error: null, finishedAt: at, endedMono: 0, sent: true };
        ledger.settle(callId, { ...ended, rowsChanged: rowsChanged(counts) });
        log.done(runId, { job: 'feed', line }, 1);
        log.plan(runId, 'feed', [{ request: nextOf(request) }]); // the next page
      });
    },
    close: () => lake.close(),
  };
};

const peer = (): Contender => {
  const path = join(folder, 'peer.db');
  const sqlite = new Database(path);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.exec(`
    create table videos (id text primary key, platform text, title text, user text, views integer,
      likes integer, engagement_rate real, created_at text, first_seen_at integer, extra text);
    create index by_user on videos (platform, user);
    create index by_created on videos (created_at);
    create index by_seen on videos (first_seen_at);
    create table snapshots (video_id text, observed_at integer, views integer, likes integer,
      primary key (video_id, observed_at)) without rowid;
    create index by_time on snapshots (observed_at);`);
  const upsert = sqlite.prepare(`
    insert into videos values (@id, 'tiktok', @title, @user, @views, @likes, @engagementRate,
      @createdAt, @at, null)
    on conflict (id) do update set title = excluded.title, user = excluded.user,
      views = excluded.views, likes = excluded.likes, engagement_rate = excluded.engagement_rate,
      created_at = excluded.created_at`);
  const insert = sqlite.prepare('insert or replace into snapshots values (?, ?, ?, ?)');
  return {
    journal: `${path}-wal`,
    load: (page) => {
      const items = itemsOf(page);
      const { at } = page;
      sqlite
        .transaction(() => {
          for (const { id, title, user, views, likes, engagementRate, createdAt } of items) {
            upsert.run({ id, title, user, views, likes, engagementRate, createdAt, at });
            insert.run(id, at, views, likes);
          }
        })
        .immediate();
    },
    close: () => void sqlite.close(),
  };
};

const add = (sum: Cost, { wallMs, cpuMs }: Cost): void => {
  sum.wallMs += wallMs;
  sum.cpuMs += cpuMs;
};

const journalBytes = ({ journal }: Contender): number => statSync(journal).size;

try {
  const contenders = { trendlake: trendlake(), peer: peer() };
  for (const [hours, round] of ['first load', 'again', 'again'].entries()) {
    const pages = pagesOf(PAGES, START_AT + hours * PAGES * 60_000);
    const costs = { trendlake: { wallMs: 0, cpuMs: 0 }, peer: { wallMs: 0, cpuMs: 0 } };
    for (const page of pages)
      for (const name of ['trendlake', 'peer'] as const)
        add(
          costs[name],
          timed(() => contenders[name].load(page)),
        );
    const show = ({ wallMs, cpuMs }: Cost): string =>
      `${(wallMs / PAGES).toFixed(2)} ms a page, ${(cpuMs / PAGES).toFixed(2)} of the processor`;
    const { trendlake: ours, peer: other } = costs;
    console.log(
      `${round}: trendlake ${show(ours)}; peer ${show(other)}; ratio ${(ours.wallMs / other.wallMs).toFixed(2)} and ${(ours.cpuMs / other.cpuMs).toFixed(2)}`,
    );
  }
  for (const [name, contender] of Object.entries(contenders)) {
    console.log(`${name}: journal ${journalBytes(contender)} bytes at its largest`);
    contender.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
