import { cpSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { milestones } from '../../../src/lake/read/milestones.ts';
import { videoGrowth } from '../../../src/lake/read/video-growth.ts';
import { keepLake } from '../../../src/run/maintenance/keep.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { SEED } from '../../support/seed.ts';

// docs/guides/keeping.md: answers of a thinned lake are right to the day.

const NOW = Date.UTC(2026, 5, 1, 4, 35);
const START = NOW - 100 * DAY_MS;
const KEEP = { snapshots: { full: 70 * DAY_MS } };
const THINNED_BEFORE = Math.floor((NOW - KEEP.snapshots.full) / DAY_MS) * DAY_MS;

interface Step {
  readonly gapMs: number;
  readonly views: number;
}

const add = ({ sqlite }: Lake, key: number, steps: readonly Step[]): number[] => {
  sqlite
    .prepare(
      "insert into video (key, id, platform, created_at, first_seen_at) values (?, ?, 'tiktok', ?, ?)",
    )
    .run(key, `tt_${key}`, START, START);
  const insert = sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, rate_derived, source) values (?, ?, ?, 0, 2)',
  );
  let at = START;
  return steps.map(({ gapMs, views }) => {
    at += gapMs;
    insert.run(key, at, views);
    return at;
  });
};

/** Views go up and down, so that a milestone is also lost within a day. */
const steps = fc.array(
  fc.record({
    gapMs: fc.integer({ min: HOUR_MS / 2, max: 9 * HOUR_MS }),
    views: fc.integer({ min: 1, max: 3_000_000 }),
  }),
  { minLength: 5, maxLength: 80 },
);

test('milestones of a thinned video are the same, at most a day off', async () => {
  const lake = freshLake();
  let key = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      key += 1;
      const last = add(lake, key, history).at(-1) ?? 0;
      const instants = [NOW, last, START + 5 * DAY_MS, THINNED_BEFORE].map(
        (at) => Math.floor(at / DAY_MS + 1) * DAY_MS - 1,
      );
      const before = instants.map((at) => milestones(lake, key, at));
      await keepLake(lake, KEEP, { clock: virtualClock(NOW) });
      const after = instants.map((at) => milestones(lake, key, at));
      for (const [index, list] of before.entries()) {
        const thinned = after[index] ?? [];
        expect(thinned.map(({ milestone, state }) => [milestone, state])).toEqual(
          list.map(({ milestone, state }) => [milestone, state]),
        );
        for (const [n, { reachedAt }] of list.entries())
          if (reachedAt !== null)
            expect(Math.abs((thinned[n]?.reachedAt ?? 0) - reachedAt)).toBeLessThan(DAY_MS);
      }
    }),
    { numRuns: 60, seed: SEED },
  );
}, 120_000);

test('a milestone lost again within its day is found in the peak', async () => {
  const lake = freshLake();
  const hourly = [500, 900, 20_000, 800, 700, 600].map((views) => ({ gapMs: HOUR_MS, views }));
  add(lake, 1, hourly);
  await keepLake(lake, KEEP, { clock: virtualClock(NOW) });
  const kept = videoGrowth(lake, 1, NOW).snapshots.map(({ views }) => views);
  expect(kept).toEqual([500, 20_000, 600]);
  expect(milestones(lake, 1, NOW)[0]).toMatchObject({ milestone: 10_000, state: 'reached' });
});

test('as of the end of a thinned day, a lake answers as before; within it, with an earlier snapshot of the day before at most', async () => {
  const lake = freshLake();
  const every = (nth: number): Step => ({
    gapMs: 3 * HOUR_MS + 1,
    views: 1 + ((nth * 7919) % 100_003),
  });
  const instants = add(
    lake,
    1,
    Array.from({ length: 700 }, (_, nth) => every(nth)),
  );
  const whole = freshFolder();
  lake.sqlite.pragma('wal_checkpoint(truncate)');
  cpSync(lake.path, `${whole}/trendlake.db`);
  await keepLake(lake, KEEP, { clock: virtualClock(NOW) });
  const viewsAsOf = async (dataDir: string, at: number): Promise<unknown> => {
    const sql = 'select views, (select count(*) > 0 from video_snapshots) as some from videos';
    const { code, out } = await runCommand(['query', '--as-of', isoOf(at), sql, '--json'], {
      dataDir,
    });
    expect(code).toBe(0);
    return JSON.parse(out);
  };
  for (const day of [1, 12, 25]) {
    const end = Math.floor(START / DAY_MS + day + 1) * DAY_MS - 1;
    expect(await viewsAsOf(lake.dataDir, end)).toEqual(await viewsAsOf(whole, end));
  }
  for (const at of instants.slice(1)) {
    const { snapshots, ...growth } = videoGrowth(lake, 1, at);
    const newest = Date.parse(snapshots.at(-1)?.at ?? '');
    expect(growth).toMatchObject({ dailyBefore: isoOf(THINNED_BEFORE) });
    if (at >= THINNED_BEFORE) expect(newest).toBe(at);
    else expect(at - newest).toBeLessThan(DAY_MS);
  }
});
