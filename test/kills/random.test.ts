import { flushCompileCache } from 'node:module';
import { beforeAll, expect, test } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { RandomStream } from '../../src/sandbox/world/random-stream.ts';
import { freshFolder } from '../support/fresh.ts';
import { type KillFigures, killLane } from '../support/kill-lane.ts';
import { SEED } from '../support/seed.ts';
import { STAGES, type Stage } from '../support/stages.ts';
import { syncOnce } from '../support/sync-once.ts';

// Every kill is a real one: SIGKILL to a process that opens, syncs, notices and exports.

const KILLS = Number(process.env.PROVE_KILLS ?? 5);
const LANES = KILLS > 8 ? 2 : 1;

let clean: Record<string, unknown[]>;
beforeAll(async () => {
  const upstream = await startFaultyUpstream();
  clean = (await syncOnce(freshFolder(), upstream.baseUrl)).rows;
  await upstream.close();
  flushCompileCache(); // a killed process keeps nothing: its next need not compile all again
});

/** The rate of violations, in percent, that `n` kills without one bound with 95 % confidence. */
const bound = (n: number): string => (100 * (1 - 0.05 ** (1 / n))).toFixed(2);

const print = (lanes: readonly KillFigures[], tookMs: number): void => {
  const sum = (of: (lane: KillFigures) => number): number =>
    lanes.reduce((total, lane) => total + of(lane), 0);
  const kills = sum((lane) => lane.kills);
  const struck = (Object.keys(STAGES) as Stage[]).map(
    (stage) => `${STAGES[stage]} ${sum((lane) => lane.struck.get(stage) ?? 0)}`,
  );
  process.stdout.write(
    `${kills} kills of ${sum((lane) => lane.processes)} processes over ${sum((lane) => lane.lakes)} lakes in ${Math.round(tookMs / 1000)} s (seed ${SEED}), 0 violations:
  fewer than ${bound(kills)} % of kills violate a promise (95 %); 2000 would bound it at ${bound(2000)} %
  struck while ${struck.join(', ')}
  calls made twice: ${sum((lane) => lane.repeated)}, allowed ${sum((lane) => lane.mayRepeat)}; counted but never arrived: ${sum((lane) => lane.neverArrived)}; arrived but not counted: 0
`,
  );
};

test(
  `${KILLS} kills at random instants, exports included`,
  async () => {
    const startedAt = performance.now();
    const lanes = await Promise.all(
      Array.from({ length: LANES }, (_, lane) =>
        killLane(clean, Math.ceil(KILLS / LANES), new RandomStream(SEED + lane)),
      ),
    );
    expect(lanes.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThanOrEqual(KILLS);
    print(lanes, performance.now() - startedAt);
  },
  4 * 3_600_000,
);
