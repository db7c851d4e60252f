import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { realFolder } from '../fixtures/real-data.ts';
import { systemClock } from '../src/base/clock.ts';
import { DAY_MS } from '../src/base/durations.ts';
import { openLake, openLakeForReading } from '../src/lake/open.ts';
import { type SearchQuery, searchVideos } from '../src/lake/search/search.ts';
import { BENCH_START_AT, BENCH_STEP_MS, benchWords, fillBenchLake } from './search/bench-lake.ts';

// Search over a lake of real (or made-up) titles: what the index costs the load, and how long
// questions take, each asked `--rounds` times.
//
//   npm run bench search -- --videos 1000000 [--rounds 100] [--from PATH] [--keep DIR] [--without-index]

const { values } = parseArgs({
  options: {
    videos: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '100' },
    from: { type: 'string', default: realFolder },
    keep: { type: 'string' },
    'without-index': { type: 'boolean', default: false },
  },
});
const size = Number(values.videos);
const dataDir = values.keep ?? mkdtempSync(join(tmpdir(), 'bench-search-'));

const writer = openLake(dataDir);
if (writer.sqlite.prepare('select 1 from video').get() === undefined) {
  if (values['without-index'])
    for (const name of writer.sqlite
      .prepare(`select name from sqlite_schema where type = 'trigger'`)
      .pluck()
      .all())
      writer.sqlite.exec(`drop trigger ${name}`);
  const words = benchWords(values.from);
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  fillBenchLake(writer, words, size);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  writer.sqlite.pragma('wal_checkpoint(truncate)');
  const megabytes = Math.round(statSync(writer.path).size / 1e6);
  console.log(
    `filled: ${size} videos in ${seconds.toFixed(1)} s, ${((seconds * 1e5) / size).toFixed(1)} ms a page of 100 (${((user + system) / 10 / size).toFixed(1)} ms of processor), ${megabytes} MB`,
  );
}
writer.close();

const lake = openLakeForReading(dataDir);
const end = BENCH_START_AT + size * BENCH_STEP_MS;
const QUESTIONS: Record<string, Partial<SearchQuery> & { q: string }> = {
  'common word': { q: 'official' },
  'commonest tag': { q: 'fyp' },
  'common word, platform': { q: 'official', platform: 'youtube' },
  'common word, last 7 days': { q: 'official', since: end - 7 * DAY_MS },
  'common word, half the time ago': { q: 'official', asOf: (BENCH_START_AT + end) / 2 },
  'common word, page 200': { q: 'official', page: 200 },
  'two common words': { q: 'official video' },
  'rare word': { q: 'binefeld' },
  'no such word': { q: 'xyzzyplugh' },
  'common and rare': { q: 'official binefeld' },
  phrase: { q: '"official music video"' },
  without: { q: 'official -video' },
  'prefix of 1': { q: 'a*' },
  'prefix of 3': { q: 'off*' },
  'Korean, 2 letters': { q: '아이' },
  'Japanese, 1 letter': { q: 'の' },
  'Japanese, 4 letters': { q: 'ゲーム実' },
};
const rounds = Number(values.rounds);
for (const [name, question] of Object.entries(QUESTIONS)) {
  const spans: number[] = [];
  let total = '';
  const cpu = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    const ask = { limit: 50, page: 1, asOf: end + DAY_MS, deadlineMs: 2000, ...question };
    const found = searchVideos(lake, ask, systemClock);
    spans.push(performance.now() - startedAt);
    total = `${found.total}${found.complete ? '' : ' or more'}`;
  }
  const { user, system } = process.cpuUsage(cpu);
  spans.sort((a, b) => a - b);
  const at = (share: number): string =>
    (spans[Math.min(spans.length - 1, Math.floor(spans.length * share))] as number).toFixed(1);
  console.log(
    `${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, processor ${((user + system) / 1000 / rounds).toFixed(1)} ms; ${total} matches`,
  );
}
lake.close();
if (values.keep === undefined) rmSync(dataDir, { recursive: true });
