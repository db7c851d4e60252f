import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figureOf, tellFigure } from './all/figure.ts';

// Feeds of 300 pages over loopback into SQLite, whole processes: `trendlake sync --jobs feed
// --no-export` against what somebody writes who has no trendlake, `curl | jq | sqlite-utils upsert` of
// the videos and an insert of their counts. First into nothing, then the same videos with other
// counts, twice. The peer has no search, hashtags, lists, ledger or stored bodies, and does not wait
// for the disk. Paired, the first of a pair alternating. Needs curl, jq and sqlite-utils.
//
//   npm run bench sync-peer [-- --pages 300] [-- --rounds 3]

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
  },
});
const PER_LIST = Math.ceil(Number(values.pages) / 3);
const PAGES = 3 * PER_LIST;
const ROOT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));

for (const tool of ['curl', 'jq', 'sqlite-utils'])
  if (spawnSync(tool, ['--version'], { stdio: 'ignore' }).status !== 0)
    throw new Error(`${tool} is not on the path; it is part of what this compares with.`);

const service = spawn(
  process.execPath,
  [fileURLToPath(new URL('./sync-peer/pages-child.ts', import.meta.url)), String(PER_LIST)],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [line] = (await once(service.stdout, 'data')) as [Buffer];
const origin = `http://127.0.0.1:${line.toString().trim()}`;

const seconds = (work: () => void): number => {
  const from = performance.now();
  work();
  return (performance.now() - from) / 1000;
};

const sync = (home: string): void => {
  const args = ['sync', '--jobs', 'feed', '--no-export', '--data-dir', home, '--quiet'];
  execFileSync(process.execPath, [join(ROOT, 'src', 'cli', 'bin.js'), ...args], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      TRENDLAKE_BASE_URL: `${origin}/v1`,
      TRENDLAKE_API_KEY: 'bench',
      TRENDLAKE_LIST_ITEMS: String(PER_LIST * 100),
      TRENDLAKE_RATE_PER_MINUTE: '100000',
      TRENDLAKE_CALLS_PER_MONTH: '1000000000',
    },
  });
};

const VIDEO = '{id, platform, title, user, views, likes, engagementRate, createdAt}';
const SNAPSHOT = '{id, at: $at, views, likes, engagementRate}';
const PEER = `set -euo pipefail
curl -sS "$ORIGIN/v1/feed/{tiktok,instagram,youtube}?limit=100&page=[1-${PER_LIST}]" | jq -c '.items[]' > items.ndjson
jq -c '${VIDEO}' items.ndjson | sqlite-utils upsert peer.db videos - --nl --pk id
jq -c --argjson at "$AT" '${SNAPSHOT}' items.ndjson |
  sqlite-utils insert peer.db snapshots - --nl --pk id --pk at`;

const peer = (home: string): void => {
  execFileSync('bash', ['-c', PEER], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ORIGIN: origin, AT: String(Date.now()) },
  });
};

const LOADS = ['first load', 'again, other counts', 'and again'] as const;

/** Seconds of one round, by load. */
const playRound = async (round: number): Promise<{ ours: number; peer: number }[]> => {
  const homes = { ours: join(folder, `ours-${round}`), peer: join(folder, `peer-${round}`) };
  for (const home of Object.values(homes)) mkdirSync(home, { mode: 0o700 });
  const spans: { ours: number; peer: number }[] = [];
  for (const [load] of LOADS.entries()) {
    const ours = () => seconds(() => sync(homes.ours));
    const first = (round + load) % 2 === 0 ? ours() : undefined;
    const other = seconds(() => peer(homes.peer));
    spans.push({ ours: first ?? ours(), peer: other });
    await fetch(`${origin}/grow`);
  }
  for (const home of Object.values(homes)) rmSync(home, { recursive: true });
  return spans;
};

try {
  const rounds: { ours: number; peer: number }[][] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const spans = await playRound(round);
    rounds.push(spans);
    const shown = spans.map(({ ours, peer }) => `${ours.toFixed(2)} s against ${peer.toFixed(2)}`);
    console.log(`round ${round + 1}: ${shown.join(', ')}`);
  }
  const ratios = (loads: readonly number[]): number[] =>
    rounds.flatMap((spans) =>
      loads.map((load) => (spans[load]?.ours ?? 0) / (spans[load]?.peer ?? 0)),
    );
  const against = `sync of ${PAGES} pages of 100 against curl, jq and sqlite-utils`;
  tellFigure(figureOf({ what: `${against}: first load`, unit: 'x', goal: 1 }, ratios([0])));
  tellFigure(
    figureOf({ what: `${against}: again, other counts`, unit: 'x', goal: 0.7 }, ratios([1, 2])),
  );
} finally {
  service.kill();
  rmSync(folder, { recursive: true, force: true });
}
