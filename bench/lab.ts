import { parseArgs } from 'node:util';
import { virtualClock } from '../src/clock.ts';
import { DAY_MS } from '../src/durations.ts';
import { analyzeVideo } from '../src/lab/analyze.ts';
import { openLakeForReading } from '../src/lake/open.ts';
import { BENCH_START_AT } from './search-lake.ts';

// How long one statistical analysis takes, over videos scattered through a lake.
//
//   node bench/search.ts --videos 1000000 --keep DIR && node bench/lab.ts --lake DIR [--rounds 100]

const { values } = parseArgs({
  options: {
    lake: { type: 'string', default: 'data' },
    rounds: { type: 'string', default: '100' },
  },
});
const lake = openLakeForReading(values.lake);
const { size, end } = lake.sqlite
  .prepare('select max(key) as size, max(first_seen_at) as end from video')
  .get() as { size: number; end: number };
const idOf = lake.sqlite.prepare('select id from video where key = ?').pluck();
const clock = virtualClock(end);

const measure = async (name: string, asOf: number): Promise<void> => {
  const spans: number[] = [];
  const rounds = Number(values.rounds);
  for (let round = 1; round <= rounds; round++) {
    const id = idOf.get(Math.floor((((round * 0.618) % 1) * size) / 2) + 1) as string;
    const startedAt = performance.now();
    await analyzeVideo(lake, { id, asOf }, { clock });
    spans.push(performance.now() - startedAt);
  }
  spans.sort((a, b) => a - b);
  const at = (share: number): string =>
    (spans[Math.min(rounds - 1, Math.floor(rounds * share))] as number).toFixed(0);
  console.log(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms over ${size} videos`);
};
await measure('now', end + DAY_MS);
await measure('as of half the time ago', (end + BENCH_START_AT) / 2);
lake.close();
