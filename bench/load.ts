import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answeredCall } from '../fixtures/answered-call.ts';
import { loadResponse } from '../src/ingest/responses/load-response.ts';
import { type LoadCounts, rowsChanged } from '../src/ingest/writers/tally.ts';
import { LAKE_FILE, type Lake, openLake } from '../src/lake/open.ts';
import { RunLog } from '../src/run/run/run-log.ts';
import { bareLoader } from './load/bare-loader.ts';
import { buildLake } from './load/build-lake.ts';
import { type MadePage, madePages, PAGE_ITEMS } from './load/made-pages.ts';
import { type Cost, timed } from './load/timed.ts';

// Loading pages of 100 items in time order, body to commit, on lakes of two sizes, beside the same
// writes through bare prepared statements from pages already read, checked and packed. All take
// turns, page by page in one process, so that what else the machine does falls on each alike; at
// the end both lakes of a size hold the same rows, which is checked. Ratios are of mean times; time
// of the processor leaves out the disk, and waiting for other programs.
//
//   npm run bench load [-- --small 100000 --large 1000000 --pages 300 --rounds 3]

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '100000' },
    large: { type: 'string', default: '1000000' },
    pages: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
  },
});
const PAGES = Number(values.pages);

/** Writes the ledger and item rows that the throttle and the runner write before a page is asked. */
const plan = ({ sqlite }: Lake, pages: readonly MadePage[]): void => {
  const run = sqlite.prepare(
    "insert into runs (id, started_at, outcome, heartbeat_at, jobs) values (?, 0, 'running', 0, '[]')",
  );
  const call = sqlite.prepare(
    "insert into calls (id, run_id, job, request, sent_at, sender) values (?, ?, 'feed', ?, ?, 'bench')",
  );
  const item = sqlite.prepare(
    "insert into run_items (run_id, job, request, request_json, position, state, attempts) values (?, 'feed', ?, '', 0, 'planned', 0)",
  );
  sqlite.transaction(() => {
    for (const { id, line, at } of pages) {
      run.run(id);
      call.run(id, id, line, at);
      item.run(id, line);
    }
  })();
};

/** Loads a page as a run does, its call and its item settled in the same transaction. */
const loadingOurs = (lake: Lake) => {
  const settleCall = lake.sqlite.prepare(
    'update calls set finished_at = ?, status = 200, rows_changed = ? where id = ?',
  );
  const log = new RunLog(lake);
  return ({ id, request, line, body, at }: MadePage, callId = id): LoadCounts => {
    const response = { status: 200, headers: { 'content-type': 'application/json' }, body };
    const call = answeredCall({ runId: id, request, callId, response, receivedAt: at });
    return loadResponse(lake, call, (counts) => {
      settleCall.run(at, rowsChanged(counts), callId);
      log.done(id, { job: 'feed', line }, 1);
    });
  };
};

/** As a contender: gives what is timed for one page. */
const ours = (lake: Lake) => {
  const load = loadingOurs(lake);
  return (page: MadePage) => () => void load(page);
};

const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));

/** A contender that loads pages into its own lake. */
interface Contender {
  lake: Lake;
  /** Gives what is timed for one page. */
  prepare(page: MadePage): () => void;
  costs: Cost[];
}

/** A copy of a lake with its pages' calls planned, and who loads them into it. */
const contender = (
  built: string,
  name: string,
  pages: readonly MadePage[],
  preparing: (lake: Lake) => Contender['prepare'],
): Contender => {
  const dataDir = `${built}-${name}`;
  mkdirSync(dataDir);
  copyFileSync(join(built, LAKE_FILE), join(dataDir, LAKE_FILE));
  const lake = openLake(dataDir);
  plan(lake, pages);
  return { lake, prepare: preparing(lake), costs: [] };
};

/** Ours and the bare statements, on copies of a lake of one size, with the pages they load. */
const contest = (videos: number) => {
  const pages = madePages(videos, PAGES);
  const built = builtLake(videos);
  return {
    videos,
    pages,
    ours: contender(built, 'ours', pages, ours),
    bare: contender(built, 'bare', pages, bareLoader),
  };
};
type Contest = ReturnType<typeof contest>;

const builtLake = (videos: number): string => join(folder, String(videos));

/** Every contender loads its next page, each time another of them first. */
const takeTurns = (contests: readonly Contest[]): void => {
  const all = contests.flatMap(({ pages, ours, bare }) => [
    { pages, contender: ours },
    { pages, contender: bare },
  ]);
  for (let index = 0; index < PAGES; index++)
    for (let turn = 0; turn < all.length; turn++) {
      const next = all[(index + turn) % all.length];
      const page = next?.pages[index];
      if (next !== undefined && page !== undefined)
        next.contender.costs.push(timed(next.contender.prepare(page)));
    }
};

/** Tables without those of the search index, whose segments depend on when they were merged. */
const TABLES = `select name from sqlite_master where type = 'table'
  and (name not like 'search%' or name = 'search_pending')`;

/** @throws Error when the two lakes differ in any row */
const expectSameRows = ({ ours, bare }: Contest): void => {
  const { sqlite } = ours.lake;
  sqlite.prepare('attach ? as bare').run(bare.lake.path);
  for (const table of sqlite.prepare(TABLES).pluck().all())
    for (const [one, other] of [
      ['main', 'bare'],
      ['bare', 'main'],
    ]) {
      const lacking = `select * from ${one}.${table} except select * from ${other}.${table}`;
      const row = sqlite.prepare(lacking).get();
      if (row !== undefined)
        throw new Error(`only one of the two wrote this to ${table}: ${JSON.stringify(row)}`);
    }
  sqlite.exec('detach bare');
};

const FRAME_HEADER_BYTES = 24;
const LOG_HEADER_BYTES = 32;

/** Writes to the log when the last page is loaded again: bytes, and the tables they belong to. */
const logOfUnchanged = ({ ours: { lake }, pages }: Contest): { bytes: number; tables: string } => {
  const page = pages.at(-1);
  if (page === undefined) throw new Error('no pages');
  const { sqlite } = lake;
  const call = sqlite
    .prepare(
      "insert into calls (job, request, sent_at, sender) values ('feed', 'again', 0, 'bench')",
    )
    .run();
  sqlite.pragma('wal_checkpoint(TRUNCATE)');
  const counts = loadingOurs(lake)(page, Number(call.lastInsertRowid));
  if (counts.video_snapshots.unchanged !== PAGE_ITEMS)
    throw new Error('the page changed something');
  const log = readFileSync(`${lake.path}-wal`);
  const frame = FRAME_HEADER_BYTES + (sqlite.pragma('page_size', { simple: true }) as number);
  const numbers: number[] = [];
  for (let at = LOG_HEADER_BYTES; at < log.length; at += frame) numbers.push(log.readUInt32BE(at));
  const names = sqlite
    .prepare(
      'select distinct m.tbl_name from json_each(?) p join dbstat d on d.pageno = p.value join sqlite_master m on m.name = d.name',
    )
    .pluck()
    .all(JSON.stringify(numbers));
  return { bytes: log.length, tables: names.sort().join(', ') };
};

const bytesPerRow = ({ sqlite }: Lake, object: string): number =>
  sqlite
    .prepare(
      'select 1.0 * (select sum(pgsize) from dbstat where name = ?) / (select count(*) from video_snapshot)',
    )
    .pluck()
    .get(object) as number;

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

const KINDS = { wallMs: 'time', cpuMs: 'time of the processor' } as const;
type Kind = keyof typeof KINDS;
const meanOf = ({ costs }: Contender, kind: Kind): number => mean(costs.map((cost) => cost[kind]));

/** Mean times of one round, by kind: ours and bare on each size, smallest first. */
type Round = Record<Kind, { ours: number; bare: number }[]>;

const playRound = (sizes: readonly number[], isLast: boolean): Round => {
  const contests = sizes.map(contest);
  takeTurns(contests);
  const of = (kind: Kind) =>
    contests.map(({ ours, bare }) => ({ ours: meanOf(ours, kind), bare: meanOf(bare, kind) }));
  for (const each of contests) {
    const { videos, ours, bare } = each;
    expectSameRows(each);
    if (isLast) {
      const { bytes, tables } = logOfUnchanged(each);
      const row = bytesPerRow(ours.lake, 'video_snapshot').toFixed(1);
      const index = bytesPerRow(ours.lake, 'video_snapshot_observed_at').toFixed(1);
      console.log(
        `${videos} videos: an unchanged page writes ${bytes} bytes of log, to ${tables}; a snapshot takes ${row} bytes, its time index ${index}`,
      );
    }
    for (const { lake } of [ours, bare]) {
      lake.close();
      rmSync(lake.dataDir, { recursive: true });
    }
  }
  return { wallMs: of('wallMs'), cpuMs: of('cpuMs') };
};

try {
  const sizes = [Number(values.small), Number(values.large)];
  for (const videos of sizes) buildLake(builtLake(videos), videos);
  const count = Number(values.rounds);
  const rounds = Array.from({ length: count }, (_, i) => playRound(sizes, i === count - 1));
  for (const kind of Object.keys(KINDS) as Kind[]) {
    console.log(`\n${KINDS[kind]}, median of ${count} rounds of ${PAGES} pages of ${PAGE_ITEMS}`);
    sizes.forEach((videos, size) => {
      const pairs = rounds.map((round) => round[kind][size] ?? { ours: 0, bare: 0 });
      const ours = median(pairs.map((pair) => pair.ours)).toFixed(2);
      const bare = median(pairs.map((pair) => pair.bare)).toFixed(2);
      const ratio = median(pairs.map((pair) => pair.ours / pair.bare)).toFixed(2);
      console.log(`  ${videos} videos: ours ${ours} ms a page, bare ${bare} ms, ratio ${ratio}`);
    });
    const grown = rounds.map(
      ({ [kind]: [small, large] }) => (large?.ours ?? 0) / (small?.ours ?? 1),
    );
    console.log(`  large lake / small lake: ${median(grown).toFixed(2)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
