import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createKey } from '../src/lake/keys/keys.ts';
import { openServiceDb } from '../src/lake/keys/service-db.ts';
import { LAKE_FILE } from '../src/lake/open.ts';
import { figureOf, tellFigure } from './all/figure.ts';
import { BUSY_CREATOR, buildLake, END_AT } from './serve/build-lake.ts';
import { type Child, startChild } from './serve/child.ts';
import { firstResponse } from './serve/first-response.ts';
import { type Asked, startAsker } from './serve/start-asker.ts';

// Speed and needs of the service, compared with servers that do nothing else; each figure beside its goal. With --keep the lake is built in DIR, or used from there.
//
//   npm run bench serve -- [--videos 100000] [--snapshots 10] [--requests 500] [--keep DIR]

const { values } = parseArgs({
  options: {
    videos: { type: 'string', default: '100000' },
    snapshots: { type: 'string', default: '10' },
    requests: { type: 'string', default: '500' },
    keep: { type: 'string' },
  },
});
const [videos, snapshots, requests] = [values.videos, values.snapshots, values.requests].map(
  Number,
) as [number, number, number];

const ask = (
  { origin, key }: { origin: string; key: string | string[] },
  paths: string[],
  count: number,
  { connections, restMs = 0 }: { connections: number; restMs?: number },
): Promise<Asked> =>
  startAsker({ origin, paths, count, connections, keys: [key].flat(), restMs }).asked;

/**
 * Requests `paths` one after another, resting a little after each, for as long as `meanwhile`
 * lasts.
 */
const askDuring = async (
  origin: string,
  paths: string[],
  key: string,
  meanwhile: () => Promise<unknown>,
): Promise<Asked> => {
  const work = { origin, paths, count: 1e9, connections: 1, keys: [key], restMs: 3 };
  const { asked, end } = startAsker(work);
  await meanwhile();
  end();
  return asked;
};

const percentile = (spans: readonly number[], share: number): number =>
  [...spans].sort((a, b) => a - b)[
    Math.min(spans.length - 1, Math.floor(spans.length * share))
  ] as number;
const ms = (value: number): string => `${value.toFixed(2)} ms`;

const dataDir = values.keep ?? mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
mkdirSync(dataDir, { recursive: true });
if (existsSync(join(dataDir, LAKE_FILE))) {
  console.log(`lake of ${dataDir}, as it is`);
} else {
  const builtFrom = performance.now();
  buildLake(dataDir, videos, snapshots);
  console.log(
    `lake of ${videos} videos, up to ${snapshots} snapshots each: built in ${((performance.now() - builtFrom) / 1000).toFixed(1)} s`,
  );
}

const db = openServiceDb(dataDir);
const makeKey = (): string =>
  createKey(
    db,
    { useCase: 'bench', tier: 'enterprise', ratePerMinute: 100_000_000, callsPerMonth: 1e9 },
    END_AT,
  ).key;
const key = makeKey();
const manyKeys = Array.from({ length: 200 }, makeKey);
db.close();

const yearBack = `asOf=${new Date(END_AT - 365 * 86_400_000).toISOString()}`;
const FEED = 'p50 2 ms, p99 10 ms';
const OTHERS = 'p99 50 ms';
const BACK = 'under 5 times the present';
const timed: readonly [name: string, path: string, goal: string][] = [
  ['feed, pulled', '/v1/feed/tiktok?limit=50', FEED],
  ['feed, computed', '/v1/feed/youtube?limit=50', FEED],
  ['feed, a year back', `/v1/feed/youtube?limit=50&${yearBack}`, BACK],
  ['feed of a year', '/v1/feed/youtube?limit=50&dateRange=366d', 'none'],
  ['trends month', '/v1/trends/youtube/month', OTHERS],
  ['trends month, a year back', `/v1/trends/youtube/month?${yearBack}`, BACK],
  ['hashtags 30d', '/v1/hashtags', OTHERS],
  ['hashtags 30d, a year back', `/v1/hashtags?${yearBack}`, BACK],
  ['hashtags of a year', '/v1/hashtags?dateRange=366d', 'none'],
  ['creator of 1,000 videos', `/v1/creators/tiktok/${BUSY_CREATOR}`, OTHERS],
  ['search, common word', '/v1/search?q=video', OTHERS],
  ['search, rare word', `/v1/search?q=${videos - 1}`, OTHERS],
];
/** Lists that are computed: none was pulled. */
const COMPUTED = timed.filter(([name]) =>
  ['feed, computed', 'trends month', 'hashtags 30d'].includes(name),
);
/** Starts that are counted, after one that is not: what Node compiles is kept from it on, as it is for users. */
const STARTS = 5;
for (const [name, path] of COMPUTED) {
  const spans: number[] = [];
  for (let start = 0; start <= STARTS; start++)
    spans.push((await firstResponse({ dataDir, at: END_AT }, { path, key })).ms);
  const what = `first response after a start: ${name}, ${videos} videos`;
  tellFigure(figureOf({ what, unit: 'ms', goal: 100 }, spans.slice(1)));
}

const child = await startChild('service', dataDir, END_AT);
const { origin } = child;
console.log(`start: process to address ${ms(child.upMs)} (goal 500 ms)`);

const EACH = 500;
console.log(
  `one after another: the first; then ${EACH}, each with an address of its own (from memory: lists, and how many a question matches)`,
);
let asked = 0;
const apart = (path: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}unknown=apart${asked++}`;
for (const [name, path, goal] of timed) {
  try {
    const first = await ask({ origin, key }, [path], 1, { connections: 1 });
    const { spans } = await ask(
      { origin, key },
      Array.from({ length: EACH }, () => apart(path)),
      EACH,
      { connections: 1 },
    );
    console.log(
      `  ${name.padEnd(28)} first ${ms(first.totalMs)}  p50 ${ms(percentile(spans, 0.5))}  p99 ${ms(percentile(spans, 0.99))}  (goal: ${goal})`,
    );
  } catch (error) {
    console.log(`  ${name.padEnd(28)} ${error instanceof Error ? error.message : error}`);
  }
}

const GOING_ON_S = 30;
console.log(`lists asked for now and then, for ${GOING_ON_S} s in which time goes on`);
for (const [name, path, goal] of COMPUTED) {
  const restMs = 100;
  const count = (GOING_ON_S * 1000) / restMs;
  const { spans } = await ask(
    { origin, key },
    Array.from({ length: count }, () => apart(path)),
    count,
    { connections: 1, restMs },
  );
  console.log(
    `  ${name.padEnd(28)} p50 ${ms(percentile(spans, 0.5))}  p99 ${ms(percentile(spans, 0.99))}  worst ${ms(Math.max(...spans))}  (goal: ${goal})`,
  );
}

const OTHERS_ASK: readonly [name: string, path: string][] = [
  ['health', '/health'],
  ['a feed page computed before', '/v1/feed/youtube?limit=50'],
  ['the same, not from memory', '/v1/feed/youtube?limit=50&unknown='],
];
const yearLists = (days: number): string[] => [
  `/v1/feed/tiktok?dateRange=${days}d&limit=3`,
  `/v1/feed/youtube?dateRange=${days}d&limit=3`,
  `/v1/hashtags?dateRange=${days}d&limit=3`,
  `/v1/search?q=us*%20vi*%20nu*%20th*%20-zz${days}`,
];
console.log('others, alone and while lists of a year are computed and nasty searches made');
for (const [index, [name, path]] of OTHERS_ASK.entries()) {
  const paths = path.endsWith('=') ? Array.from({ length: 5000 }, (_, n) => `${path}${n}`) : [path];
  const { spans: alone } = await ask({ origin, key }, paths, 500, { connections: 1 });
  let yearsMs = 0;
  const { spans } = await askDuring(origin, paths, key, async () => {
    const years = await Promise.all(
      [365, 364].map((days) =>
        ask({ origin, key }, yearLists(days - 2 * index), 4, { connections: 1 }),
      ),
    );
    yearsMs = Math.max(...years.map(({ totalMs }) => totalMs));
  });
  console.log(
    `  ${name.padEnd(28)} alone p50 ${ms(percentile(alone, 0.5))} p99 ${ms(percentile(alone, 0.99))}; meanwhile (${(yearsMs / 1000).toFixed(1)} s, ${spans.length} asked) p50 ${ms(percentile(spans, 0.5))} p99 ${ms(percentile(spans, 0.99))} worst ${ms(Math.max(...spans))} (goal: p99 20 ms)`,
  );
}

const bare = await startChild('bare', dataDir, END_AT);
const bytes = async (at: string): Promise<string> => {
  const answer = await fetch(`${at}/v1/feed/tiktok?limit=50&page=2`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return answer.text();
};
if ((await bytes(origin)) !== (await bytes(bare.origin)))
  throw new Error(
    'The bare server sends other bytes than the service: there is nothing to compare.',
  );

const pages = Array.from(
  { length: 100 },
  (_, index) => `/v1/feed/tiktok?limit=50&page=${index + 1}`,
);
interface Rate {
  readonly perSecond: number;
  readonly processorUs: number; // for each request
}
const rate = async (server: Child, paths: string[], keys = [key]): Promise<Rate> => {
  const before = server.processorMs() ?? 0;
  const { totalMs } = await ask({ origin: server.origin, key: keys }, paths, requests, {
    connections: 8,
  });
  const processorUs = (((server.processorMs() ?? 0) - before) * 1000) / requests;
  return { perSecond: (requests / totalMs) * 1000, processorUs };
};
const ROUNDS = 31; // short ones: what else the machine does comes and goes within seconds
const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
/**
 * Measures ours and theirs alternately, so that other load of the machine meets both; medians of
 * the rounds count.
 */
const compare = async (
  name: string,
  goal: string,
  ours: () => Promise<Rate>,
  theirs: () => Promise<Rate>,
) => {
  await ours();
  await theirs();
  const rounds: { ours: Rate; theirs: Rate }[] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({ ours: await ours(), theirs: await theirs() });
  const of = (number: (round: { ours: Rate; theirs: Rate }) => number): number =>
    median(rounds.map(number));
  const share = of((round) => round.ours.perSecond / round.theirs.perSecond);
  const shares = rounds.map((round) => (100 * round.ours.perSecond) / round.theirs.perSecond);
  const told = {
    what: `${name}, against a bare server`,
    unit: '%',
    goal: Number.parseInt(goal, 10),
  } as const;
  const processor = of((round) => round.theirs.processorUs / round.ours.processorUs);
  console.log(
    `  ${name}: ${percent(share)}, ${Math.round(of((round) => round.ours.perSecond))}/s against ${Math.round(of((round) => round.theirs.perSecond))}/s (goal: ${goal}); by processor time ${percent(processor)}, ${Math.round(of((round) => round.ours.processorUs))} us against ${Math.round(of((round) => round.theirs.processorUs))} us`,
  );
  tellFigure(figureOf(told, shares));
};
const fresh = pages.map((path, index) => `${path}&unknown=${index}`);
let salt = 0;
const firstTime = (): string[] =>
  Array.from({ length: requests }, (_, index) => `${fresh[index % 100]}${salt++}`);
console.log(
  `8 connections, requests per second, against a bare server (medians of ${ROUNDS} rounds)`,
);
await compare(
  'first responses, same statement',
  '100 %',
  () => rate(child, firstTime()),
  () => rate(bare, fresh),
);
await compare(
  'repeated response, constant body',
  '50 %',
  () => rate(child, pages.slice(0, 1)),
  () => rate(bare, [`${pages[0]}&constant`]),
);
const hono = await startChild('hono', dataDir, END_AT);
const repeated = pages.slice(0, 1);
await compare(
  'repeated response of 200 keys, constant body of Hono',
  '70 %',
  () => rate(child, repeated, manyKeys),
  () => rate(hono, repeated, manyKeys),
);
const calm = { connections: 64, restMs: 160 };
const { spans } = await ask({ origin, key: manyKeys }, repeated, 8000, calm);
console.log(
  `200 keys, about 400 requests a second: p50 ${ms(percentile(spans, 0.5))}, p99 ${ms(percentile(spans, 0.99))} (goal: p99 25 ms)`,
);
const memory = child.memoryMb();
if (memory !== null)
  console.log(
    `memory of the service: ${memory.peak} MB resident at most, ${memory.own} MB its own now (goal: under 300 MB)`,
  );

await bare.stop();
await hono.stop();
await child.stop();
if (values.keep === undefined) rmSync(dataDir, { recursive: true, force: true });
