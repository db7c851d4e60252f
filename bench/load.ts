import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Ask } from '../src/api/ask.ts';
import { requestLine } from '../src/api/ask.ts';
import { decodeAnswer } from '../src/api/decode.ts';
import { LAKE_FILE, type Lake, openLake } from '../src/lake/open.ts';
import { wordsOf } from '../src/lake/search-words.ts';
import { loadAnswer } from '../src/load/load-answer.ts';
import { foldTag } from '../src/load/title-hashtags.ts';
import { madePage, madeVideo, numbers } from './made-pages.ts';

// Loading pages of 100 items, body to commit, on lakes of two sizes, beside the same writes through
// bare prepared statements from objects already parsed and bodies already packed.
//
//   npm run bench:load [-- --small 100000 --large 1000000 --pages 300]

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '100000' },
    large: { type: 'string', default: '1000000' },
    pages: { type: 'string', default: '300' },
  },
});
const PAGES = Number(values.pages);
const START_AT = 1_795_000_000_000;
const MINUTE_MS = 60_000;
const FRESH_SHARE = 0.2; // of a page's videos the lake has never seen

interface Page {
  ask: Ask;
  body: Buffer;
  at: number;
}

/** Pages in time order: mostly recent videos, some new ones, the same for every contestant. */
const pagesFor = (videos: number): Page[] => {
  const random = numbers(7);
  let next = videos;
  return Array.from({ length: PAGES }, (_, page) => {
    const chosen = new Set<number>();
    while (chosen.size < 100)
      chosen.add(
        random() < FRESH_SHARE ? next++ : Math.floor(videos * (1 - random() ** 2 * 0.3)) - 1,
      );
    const at = START_AT + page * MINUTE_MS;
    const ask: Ask = {
      kind: 'feed',
      platform: 'tiktok',
      dateRange: '24h',
      limit: 100,
      page: 1,
      offset: 0,
    };
    return { ask, body: madePage([...chosen], at, 1), at };
  });
};

/** A lake of `videos` videos with two looks each, written with bare statements. */
const build = (dataDir: string, videos: number): void => {
  mkdirSync(dataDir);
  const { sqlite, close } = openLake(dataDir);
  sqlite.pragma('synchronous = OFF');
  const video = sqlite.prepare(
    'insert into video (key, id, platform, title, user, views, likes, created_at, first_seen_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const snapshot = sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source) values (?, ?, ?, ?, 1, 0)',
  );
  const tag = sqlite.prepare(
    'insert into hashtag (tag, folded) values (?, ?) on conflict do nothing',
  );
  const link = sqlite.prepare(
    'insert into video_hashtag (video_key, hashtag_key, position) select ?, key, ? from hashtag where folded = ? on conflict do nothing',
  );
  sqlite.transaction(() => {
    for (let index = 0; index < videos; index++) {
      const made = madeVideo(index);
      const likes = Math.floor(made.views / 20);
      video.run(
        index + 1,
        made.id,
        'tiktok',
        made.title,
        made.user,
        made.views,
        likes,
        made.createdAt,
        made.createdAt,
      );
      made.tags.forEach((name, position) => {
        tag.run(name, name);
        link.run(index + 1, position, name);
      });
    }
    for (const look of [2, 1])
      for (let index = 0; index < videos; index++) {
        const { views } = madeVideo(index);
        const at = START_AT - look * 86_400_000 + Math.floor(index / 100);
        snapshot.run(index + 1, at, views, Math.floor(views / 20));
      }
  })();
  sqlite.pragma('wal_checkpoint(TRUNCATE)');
  close();
};

/** Writes the ledger and item rows that the throttle and the runner write before a page is asked. */
const plan = ({ sqlite }: Lake, pages: readonly Page[]): void => {
  const call = sqlite.prepare(
    "insert into calls (id, run_id, job, request, sent_at, sender) values (?, 1, 'feed', ?, ?, 'bench')",
  );
  const item = sqlite.prepare(
    "insert into run_items (run_id, job, request, ask, position, state, attempts) values (1, 'feed', ?, '', ?, 'planned', 0)",
  );
  sqlite.transaction(() => {
    sqlite.exec(
      "insert into runs (id, started_at, outcome, heartbeat_at, jobs) values (1, 0, 'running', 0, '[]')",
    );
    pages.forEach(({ ask, at }, index) => {
      call.run(index + 1, requestLine(ask), at);
      item.run(`${requestLine(ask)} ${index}`, index);
    });
  })();
};

const answered = ({ ask, body, at }: Page, index: number) => ({
  runId: 1,
  job: 'feed',
  request: `${requestLine(ask)} ${index}`,
  ask,
  callId: index + 1,
  attempts: 1,
  answer: { status: 200, headers: { 'content-type': 'application/json' }, body },
  receivedAt: at,
});

const loadOurs = (lake: Lake, pages: readonly Page[]): number => {
  const startedAt = performance.now();
  pages.forEach((page, index) => {
    const item = answered(page, index);
    loadAnswer(lake, { ...item, decoded: decodeAnswer(page.ask, item.answer) });
  });
  return (performance.now() - startedAt) / pages.length;
};

interface BareItem {
  id: string;
  title: string;
  user: string;
  views: number;
  likes: number;
  createdAt: string;
  hashtags: string[];
  score: number;
  velocity: number;
}

/** The same rows by hand: nothing parsed, checked, packed or counted inside the clock. */
const loadBare = ({ sqlite }: Lake, pages: readonly Page[]): number => {
  const find = sqlite.prepare('select key from video where id = ?').pluck();
  const insert = sqlite
    .prepare(
      "insert into video (id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at) values (?, 'tiktok', ?, ?, ?, ?, ?, ?, ?) returning key",
    )
    .pluck();
  const update = sqlite.prepare(
    'update video set views = ?, likes = ?, engagement_rate = ? where key = ?',
  );
  const snapshot = sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source) values (?, ?, ?, ?, 1, 0) on conflict do nothing',
  );
  const tagKey = sqlite.prepare('select key from hashtag where folded = ?').pluck();
  const tag = sqlite
    .prepare('insert into hashtag (tag, folded, first_seen_at) values (?, ?, ?) returning key')
    .pluck();
  const link = sqlite.prepare(
    'insert into video_hashtag (video_key, hashtag_key, position) values (?, ?, ?) on conflict do nothing',
  );
  const capture = sqlite
    .prepare(
      "insert into capture (list, platform, period, captured_at, completed_at, total, run_id) values ('feed', 'tiktok', '24h', ?, ?, 10000, 1) returning key",
    )
    .pluck();
  const ranking = sqlite.prepare(
    'insert into ranking (capture_key, rank, video_key, score, velocity) values (?, ?, ?, ?, ?)',
  );
  const response = sqlite.prepare(
    "insert into responses (call_id, content_type, observed_at, body) values (?, 'application/json', ?, ?)",
  );
  const call = sqlite.prepare(
    'update calls set finished_at = ?, status = 200, rows_changed = 300 where id = ?',
  );
  const done = sqlite.prepare(
    "update run_items set state = 'done', attempts = 1 where run_id = 1 and job = 'feed' and request = ?",
  );
  const search = sqlite.prepare(
    "insert into search (rowid, platform, title, user, tags) values (?, 'tiktok', ?, ?, '')",
  );
  const indexed = sqlite.prepare('delete from search_pending');
  const ready = pages.map((page, index) => ({
    items: (JSON.parse(page.body.toString()) as { items: BareItem[] }).items.map((item) => ({
      ...item,
      createdAt: Date.parse(item.createdAt),
      titleWords: wordsOf(item.title).join(' '),
      userWords: wordsOf(item.user).join(' '),
    })),
    packed: gzipSync(page.body, { level: 1 }),
    request: answered(page, index).request,
    at: page.at,
  }));
  const startedAt = performance.now();
  ready.forEach(({ items, packed, request, at }, index) => {
    sqlite
      .transaction(() => {
        const captureKey = capture.get(at, at);
        items.forEach((item, place) => {
          const rate = (100 * item.likes) / item.views;
          let key = find.get(item.id);
          const isNew = key === undefined;
          if (isNew)
            key = insert.get(
              item.id,
              item.title,
              item.user,
              item.views,
              item.likes,
              rate,
              item.createdAt,
              at,
            );
          else update.run(item.views, item.likes, rate, key);
          if (isNew) search.run(key, item.titleWords, item.userWords);
          snapshot.run(key, at, item.views, item.likes);
          ranking.run(captureKey, place + 1, key, item.score, item.velocity);
          item.hashtags.forEach((name, position) => {
            const known = tagKey.get(foldTag(name)) ?? tag.get(name, foldTag(name), at);
            link.run(key, known, position);
          });
        });
        indexed.run();
        response.run(index + 1, at, packed);
        call.run(at, index + 1);
        done.run(request);
      })
      .immediate();
  });
  return (performance.now() - startedAt) / pages.length;
};

const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** Times one contestant on its own copy of a lake. */
const contest = <T>(
  built: string,
  name: string,
  pages: readonly Page[],
  work: (lake: Lake) => T,
): T => {
  const dataDir = join(folder, name);
  mkdirSync(dataDir);
  copyFileSync(join(built, LAKE_FILE), join(dataDir, LAKE_FILE));
  const lake = openLake(dataDir);
  try {
    plan(lake, pages);
    return work(lake);
  } finally {
    lake.close();
    rmSync(dataDir, { recursive: true });
  }
};

/** Bytes of the write-ahead log that loading the last page once more writes. */
const walOfUnchanged = (lake: Lake, pages: readonly Page[]): number => {
  const page = pages.at(-1);
  if (page === undefined) throw new Error('no pages');
  const { sqlite } = lake;
  sqlite.exec(
    "insert into calls (id, run_id, job, request, sent_at, sender) values (999999, 1, 'feed', 'again', 0, 'bench')",
  );
  sqlite.pragma('wal_checkpoint(TRUNCATE)');
  const item = { ...answered(page, PAGES - 1), callId: 999_999 };
  const counts = loadAnswer(lake, { ...item, decoded: decodeAnswer(page.ask, item.answer) });
  if (counts.video_snapshots.unchanged !== 100) throw new Error('the page did change something');
  return statSync(`${lake.path}-wal`).size;
};

const bytesPerRow = ({ sqlite }: Lake, object: string, table: string): number =>
  sqlite
    .prepare(
      `select 1.0 * (select sum(pgsize) from dbstat where name = ?) / (select count(*) from ${table})`,
    )
    .pluck()
    .get(object) as number;

const measure = (videos: number) => {
  const built = join(folder, `built-${videos}`);
  build(built, videos);
  const pages = pagesFor(videos);
  const rounds = [0, 1, 2].map((round) => ({
    bare: contest(built, `bare-${videos}-${round}`, pages, (lake) => loadBare(lake, pages)),
    ours: contest(built, `ours-${videos}-${round}`, pages, (lake) => loadOurs(lake, pages)),
  }));
  const extra = contest(built, `extra-${videos}`, pages, (lake) => {
    loadOurs(lake, pages);
    return {
      walBytes: walOfUnchanged(lake, pages),
      rowBytes: bytesPerRow(lake, 'video_snapshot', 'video_snapshot'),
      indexBytes: bytesPerRow(lake, 'video_snapshot_observed_at', 'video_snapshot'),
    };
  });
  const median = (pick: (round: { bare: number; ours: number }) => number): number =>
    rounds.map(pick).sort((a, b) => a - b)[1] as number;
  const ours = median((round) => round.ours);
  const bare = median((round) => round.bare);
  console.log(
    `${videos.toLocaleString('en')} videos: ours ${ms(ours)} a page of 100, bare statements ${ms(bare)}, ratio ${(ours / bare).toFixed(2)}`,
  );
  console.log(
    `  unchanged page: ${extra.walBytes} bytes of log (call, item and body); a snapshot: ${extra.rowBytes.toFixed(1)} bytes, its time index ${extra.indexBytes.toFixed(1)}`,
  );
  return ours;
};

try {
  const small = measure(Number(values.small));
  const large = measure(Number(values.large));
  console.log(`large lake / small lake: ${(large / small).toFixed(2)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
