import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lakeRows } from '../../fixtures/lake-rows.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/lake/search/search-index.ts';
import { RandomStream } from '../../src/sandbox/world/random-stream.ts';
import { freshFolder } from '../support/fresh.ts';
import { SEED } from '../support/seed.ts';
import { openTestLake } from '../support/test-lake.ts';

// Processes that erase or thin are killed by SIGKILL at random instants. Whoever comes next finds a
// whole lake and ends with the same rows as a process that nobody kills.

const KILLS = Number(process.env.PROVE_REMOVING_KILLS ?? 4);
const NOW = Date.UTC(2026, 5, 1, 4);
const VIDEOS = 20;
const RESPONSES = 400;
const CHILD = join(import.meta.dirname, 'removing-child.ts');
const GONE = 'unmistakable caption';

const fill = (lake: Lake): void => {
  const { sqlite } = lake;
  sqlite.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${VIDEOS})
    insert into video (key, id, platform, title, user)
    select i, 'tt_' || i, 'tiktok', iif(i % 5 = 0, '${GONE} ', 'clip ') || i, iif(i % 5 = 0, 'gone', 'kept')
    from n`);
  sqlite.exec(`
    with recursive h (i) as (select 0 union all select i + 1 from h where i < 24 * 120)
    insert into video_snapshot (video_key, observed_at, views, rate_derived, source)
    select v.key, ${NOW} - h.i * ${HOUR_MS}, (h.i * 7919 + v.key) % 1009, 1, 0 from video v cross join h`);
  sqlite.exec(`
    with recursive h (i) as (select 0 union all select i + 1 from h where i < 120)
    insert into events (id, kind, platform, subject, occurred_at, detected_at, origin, data)
    select 'e' || h.i, 'trend.spike', 'tiktok', 'video:tt_' || (1 + h.i % ${VIDEOS}),
      ${NOW} - h.i * ${DAY_MS}, ${NOW}, 'trendlake', '{"id":"tt_' || (1 + h.i % ${VIDEOS}) || '"}' from h`);
  const call = sqlite.prepare(
    "insert into calls (id, job, request, sent_at, sender) values (?, 'feed', 'GET /feed/tiktok', ?, 'test')",
  );
  const store = sqlite.prepare(
    'insert into responses (call_id, content_type, observed_at, body) values (?, ?, ?, ?)',
  );
  for (let id = 1; id <= RESPONSES; id++) {
    const items = Array.from({ length: 20 }, (_, n) => ({
      id: `tt_${1 + ((id + n) % VIDEOS)}`,
      title: (1 + ((id + n) % VIDEOS)) % 5 === 0 ? GONE : 'clip',
    }));
    call.run(id, NOW);
    store.run(id, 'application/json', NOW, gzipSync(JSON.stringify({ items })));
  }
  refreshSearch(lake);
};

/** Runs the work; with `killAfterMs` it dies so long after it began. @returns how it ended */
const runWork = async (
  dataDir: string,
  work: string,
  killAfterMs?: number,
): Promise<string | number | null> => {
  const child = spawn(process.execPath, [CHILD, dataDir, work, String(NOW)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (killAfterMs !== undefined)
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), killAfterMs));
  else child.stdout.resume();
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal ?? code;
};

/** Rows without what a repeated run counts or draws. */
const rowsOf = (dataDir: string): unknown => {
  const lake = openLake(dataDir);
  try {
    expect(lake.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(lake.sqlite.pragma('foreign_key_check')).toEqual([]);
    const erased = lake.sqlite.prepare('select count(*) from erased').pluck().get();
    return [lakeRows(lake), erased];
  } finally {
    lake.close();
  }
};

test.each([
  ['keep', 700],
  ['forget', 400],
])(
  `${KILLS} kills of %s at random instants leave a whole lake that the next run finishes`,
  async (work, longestMs) => {
    const random = new RandomStream(SEED);
    const origin = freshFolder();
    const filled = openTestLake(origin);
    fill(filled);
    filled.close();
    const clean = freshFolder();
    cpSync(origin, clean, { recursive: true });
    expect(await runWork(clean, work)).toBe(0);
    const wanted = rowsOf(clean);
    let kills = 0;
    while (kills < KILLS) {
      const dataDir = freshFolder();
      cpSync(origin, dataDir, { recursive: true });
      for (let tried = 0; tried < 4 && kills < KILLS; tried++) {
        const ended = await runWork(dataDir, work, random.next() * longestMs);
        kills += 1; // one that was faster than its kill counts as a kill after its end
        expect(['SIGKILL', 0]).toContain(ended);
        rowsOf(dataDir);
      }
      expect(await runWork(dataDir, work)).toBe(0);
      expect(rowsOf(dataDir)).toEqual(wanted);
      if (work === 'keep') continue;
      const holding = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
        (name) => name.includes('.db') && readFileSync(join(dataDir, name)).includes(GONE),
      );
      expect(holding).toEqual([]);
    }
  },
  4 * 3_600_000,
);
