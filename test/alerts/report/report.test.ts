import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lastWholeWeek, type Week } from '../../../src/alerts/report/week.ts';
import { weeklyReport } from '../../../src/alerts/report/weekly-report.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { openLake } from '../../../src/lake/open.ts';
import { addWatch } from '../../../src/lake/watches/watches.ts';
import { filler, fillLake } from '../../serve/filled-lake.ts';
import { freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const MONDAY = Date.UTC(2026, 10, 9); // the first instant of 2026-W46
const NEXT = MONDAY + 7 * DAY_MS;
const at = (days: number): number => MONDAY + days * DAY_MS;

/** A lake of which every number in the report can be reckoned by hand. */
const madeLake = (): string => {
  const lake = freshLake();
  const { dataDir } = lake;
  lake.close();
  fillLake(dataDir, (into) => {
    into.video({
      id: 'tt_1',
      title: '<b>rose</b> & shone',
      user: 'ada',
      snapshots: [
        [at(-1), 1000],
        [at(6), 5000],
        [at(8), 90_000], // after the week
      ],
    });
    into.video({
      id: 'tt_2',
      title: 'came in the week',
      user: 'bea',
      snapshots: [
        [at(2), 100],
        [at(3), 700],
      ],
    });
    into.video({
      id: 'tt_8',
      title: 'new this week',
      user: 'bea',
      createdAt: at(2),
      snapshots: [
        [at(3), 300],
        [at(4), 400],
      ],
    });
    into.video({ id: 'tt_3', title: 'seen once', user: 'ada', snapshots: [[at(1), 70_000]] });
    into.video({
      id: 'yt_4',
      title: 'elsewhere',
      user: 'cem',
      snapshots: [
        [at(-1), 10],
        [at(5), 20],
      ],
    });
    const list = { list: 'trends', platform: 'tiktok', period: 'week', total: 2 } as const;
    into.pulled({
      ...list,
      at: MONDAY - HOUR_MS,
      ranks: [
        { rank: 1, id: 'tt_1' },
        { rank: 2, id: 'tt_3' },
      ],
    });
    into.pulled({
      ...list,
      at: NEXT - HOUR_MS,
      ranks: [
        { rank: 1, id: 'tt_2' },
        { rank: 2, id: 'tt_1' },
      ],
    });
    into.creator({
      platform: 'tiktok',
      handle: 'ada',
      snapshots: [
        [at(-2), 100],
        [at(4), 150],
      ],
    });
    into.creator({
      platform: 'tiktok',
      handle: 'Zoë',
      snapshots: [
        [at(-2), 1],
        [at(4), 21],
      ],
    });
    into.creator({ platform: 'tiktok', handle: 'bea', snapshots: [[at(4), 900]] }); // no count before
  });
  return dataDir;
};

const reported = async (dataDir: string, argv: readonly string[], now = NEXT + DAY_MS) => {
  const result = await runCommand(['report', ...argv], { dataDir, clock: virtualClock(now) });
  return { ...result, words: result.out.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ') };
};

test('a week on one page: gains, falls, creators, as the lake knew them at its end', async () => {
  const dataDir = madeLake();
  const { code, out, words } = await reported(dataDir, ['--out', '-', '--platform', 'tiktok']);
  expect(code).toBe(0);
  expect(words).toContain('2026-11-09 to 2026-11-15 (UTC)');
  // the last snapshot of the week less the one before the week; then since when
  expect(words).toMatch(/shone @ada, tiktok, tt_1 5,000 \+4,000 /);
  expect(words).toMatch(/came in the week @bea, tiktok, tt_2 700 \+600 since 2026-11-11 00:00 UTC/);
  expect(words).toMatch(
    /new this week @bea, tiktok, tt_8 400 \+400 since it was published, 2026-11-11 00:00 UTC/,
  );
  expect(words).not.toContain('90,000');
  expect(words).not.toMatch(/elsewhere/);
  expect(words).toMatch(
    /What fell .* seen once @ada, tiktok, tt_3 2 not in the first 100 .*tt_1 1 2 /,
  );
  expect(words).toMatch(/Who .* @ada tiktok 150 \+50 /);
  expect(words).not.toContain('@bea tiktok');
  expect(out).toContain('&lt;b&gt;rose&lt;/b&gt; &amp; shone');
  expect(out).not.toMatch(/<script|src=|href=|url\(/);
});

test('what stands at the first instant of a week is counted in that week alone', async () => {
  const lake = freshLake();
  const into = filler(lake);
  into.video({
    id: 'tt_1',
    snapshots: [
      [MONDAY, 100],
      [NEXT, 200],
    ],
  });
  for (const first of [MONDAY, NEXT]) {
    const list = { list: 'trends', platform: 'tiktok', period: 'week', total: 1 } as const;
    into.pulled({ ...list, at: first, ranks: [{ rank: 1, id: 'tt_1' }] });
    into.event({ id: `evt_${first}`, kind: 'trend.spike', platform: 'tiktok', at: first });
  }
  const counted = [];
  for (const [monday, madeAt] of [
    [MONDAY, MONDAY],
    [NEXT, NEXT],
    [NEXT + 7 * DAY_MS, NEXT + 7 * DAY_MS],
    [NEXT, MONDAY], // of a week that has just begun
  ] as const) {
    const week = lastWholeWeek(monday);
    const { measured, eventsTotal } = await weeklyReport(lake, { week }, virtualClock(madeAt));
    expect(measured.snapshots).toBe(measured.snapshotsByDay[0]);
    counted.push([measured.videos, measured.snapshots, measured.lists, eventsTotal]);
  }
  expect(counted).toEqual([
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [1, 1, 1, 1],
    [1, 1, 1, 1],
  ]);
});

test('a report lists an event in the week it occurred in, whenever it was noticed', async () => {
  const lake = freshLake();
  const sunday = { id: 'evt_late', kind: 'trend.spike', platform: 'tiktok', at: at(6.9) } as const;
  filler(lake).event({ ...sunday, detectedAt: NEXT + HOUR_MS });
  const told = async (week: Week, madeAt: number) =>
    (await weeklyReport(lake, { week }, virtualClock(madeAt))).eventsTotal;
  expect(await told(lastWholeWeek(NEXT), NEXT)).toBe(0);
  expect(await told(lastWholeWeek(NEXT), NEXT + DAY_MS)).toBe(1);
  expect(await told(lastWholeWeek(NEXT + 7 * DAY_MS), NEXT + 7 * DAY_MS)).toBe(0);
});

test('of one creator, and of a week that is not over, it says so', async () => {
  const dataDir = madeLake();
  const { words } = await reported(
    dataDir,
    ['--out', '-', '--week', '2026-11-10', '--creator', '@ADA'],
    at(3) + HOUR_MS,
  );
  expect(words).toContain('Week 2026-W46, @ADA');
  expect(words).toContain('not over yet : as known 2026-11-12 01:00 UTC');
  expect(words).not.toContain('tt_2');
  expect(words).toContain('No video was counted twice in this week');
});

test('a creator is found by any spelling of the handle', async () => {
  const argv = ['--out', '-', '--creator', '@ZOE\u0308'];
  const { words } = await reported(madeLake(), argv);
  expect(words).toMatch(/Who .* @Zoë tiktok 21 \+20 /);
  expect(words).not.toContain('@ada tiktok');
});

test('a creator nobody saw is refused, and what is not of the creator says so', async () => {
  const dataDir = madeLake();
  const argv = ['--out', '-', '--creator'];
  const { code, out } = await reported(dataDir, [...argv, 'nobody']);
  expect([code, out]).toEqual([2, '']);
  expect((await reported(dataDir, [...argv, 'cem', '--platform', 'tiktok'])).code).toBe(2);
  const { words } = await reported(dataDir, [...argv, 'ada']);
  expect(words).toContain('Counts above, tags and days below are of everybody the lake watched');
});

test('it is written where it is asked for, and says so', async () => {
  const dataDir = madeLake();
  const told = await reported(dataDir, []);
  expect(told.out).toContain('report-2026-W46.html');
  expect(readFileSync(join(dataDir, 'report-2026-W46.html'), 'utf8')).toMatch(/^<!doctype html>/);
  const { code, err } = await reported(dataDir, ['--out', 'no/such/folder.html']);
  expect(code).toBe(2);
  expect(err).toMatch(/cannot be written to .*folder\.html.*--out/);
});

test.each([
  [['--week', 'yesterday'], /ISO week such as 2026-W46/],
  [['--week', '2027-W10'], /has not begun/],
  [['--platform', 'myspace'], /tiktok/],
])('%j is refused in words', async (argv, words) => {
  const { code, err } = await reported(madeLake(), argv);
  expect(code).toBe(2);
  expect(err).toMatch(words);
});

test('a gain over a base older than the window counts in proportion, as in the lists', async () => {
  const lake = freshLake();
  filler(lake).video({
    id: 'tt_slow',
    createdAt: MONDAY - 400 * DAY_MS,
    snapshots: [
      [MONDAY - 91 * DAY_MS, 100_000],
      [NEXT - DAY_MS, 200_000], // 97 days later
    ],
  });
  const { risers } = await weeklyReport(lake, { week: lastWholeWeek(NEXT) }, virtualClock(NEXT));
  expect(risers.map(({ gained }) => gained)).toEqual([Math.round((100_000 * 7) / 97)]);
});

test('a report of a tag is about what its watches cover', async () => {
  const dataDir = madeLake();
  const lake = openLake(dataDir);
  const wish = { everyMs: DAY_MS, note: null, until: null, tags: ['Acme & Co'] };
  addWatch(lake, { ...wish, kind: 'creator', platform: 'tiktok', subject: 'ada' }, MONDAY);
  lake.close();
  const given = { dataDir, clock: virtualClock(NEXT + HOUR_MS) };
  const { out } = await runCommand(['report', '--tag', 'acme & co', '--out', '-'], given);
  expect(out).toContain('Week 2026-W46, acme &amp; co');
  expect(out).toContain('shone');
  expect(out).toContain('@ada');
  expect(out).not.toContain('came in the week');
  expect(out).not.toContain('elsewhere');
  const unknown = await runCommand(['report', '--tag', 'other'], given);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('No watch has the tag "other". Use one of: acme & co.');
});
