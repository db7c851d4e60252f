import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';
import type { Surroundings } from '../../../src/cli/context/io.ts';
import { run } from '../../../src/cli/main.ts';
import { sparkline } from '../../../src/cli/text/demo-text.ts';
import { expectShown } from './expect-shown.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const command = async (
  dataDir: string,
  argv: string[],
  stop = { at: 'never', with: new AbortController() },
) => {
  const out: string[] = [];
  const err: string[] = [];
  const io: Surroundings = {
    env: {
      TRENDLAKE_DATA_DIR: dataDir,
      TRENDLAKE_LIST_ITEMS: '20',
      TRENDLAKE_GROWTH_CALLS: '5',
      TRENDLAKE_CREATOR_CALLS: '2',
    },
    cwd: folder,
    clock: virtualClock(NOON),
    random: () => 0.5,
    signal: stop.with.signal,
    isTerminal: false,
    columns: undefined,
    out: (line) => {
      out.push(line);
      if (stop.at === 'first line') stop.with.abort();
    },
    err: (line) => void err.push(line),
    draw: () => {},
  };
  return { code: await run(argv, io), out: out.join('\n'), err: err.join('\n') };
};

/** Two platforms for three days, then a newer stretch of one platform's. */
const writeObservations = (): string => {
  const day = (n: number) => NOON - 60 * DAY_MS + n * DAY_MS;
  const videos: object[] = [];
  const snapshots: object[] = [];
  const follow = (id: string, platform: string, days: number[]) => {
    const [first = 0] = days;
    const title = `${id} #tag`;
    videos.push({ id, platform, title, user: 'u', createdAt: isoOf(day(first) - 2 * HOUR_MS) });
    for (const [i, n] of days.entries())
      snapshots.push({ id, at: isoOf(day(n)), views: 1000 * (i + 1), likes: 10 * (i + 1) });
  };
  for (let n = 0; n < 6; n++) {
    follow(`tt_710000000000000000${n}`, 'tiktok', [0, 1, 2]);
    follow(`yt_aaaaaaaaaa${n}`, 'youtube', [0, 1, 2]);
    follow(`yt_bbbbbbbbbb${n}`, 'youtube', [20, 21]);
  }
  const lines = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const made = mkdtempSync(join(folder, 'observations-'));
  writeFileSync(join(made, 'videos.ndjson'), lines(videos));
  writeFileSync(join(made, 'snapshots.ndjson'), lines(snapshots));
  return made;
};

interface DemoJson {
  nights: { at: string; outcome: string; exported: { rows: number } }[];
  tables: Record<string, number>;
}

describe('demo', () => {
  test('lives through the nights it is asked for and shows what it has', async () => {
    const dataDir = join(folder, 'shown');
    const { code, out } = await command(dataDir, [
      'demo',
      '--nights',
      '2',
      '--from',
      writeObservations(),
    ]);
    expect(code).toBe(0);
    const last = isoOf(NOON - 60 * DAY_MS + 36 * HOUR_MS).slice(0, 10);
    expect(out).toMatch(/^2026-09-\d\d {2}complete: \d+ calls/);
    expect(out).toMatch(new RegExp(`${last} {2}complete`));
    const nights = expectShown(out, dataDir, ['tiktok', 'youtube']);
    expect(nights).toHaveLength(2);
    expect(Number(nights[1]) - Number(nights[0])).toBe(DAY_MS);
  });

  test('of an import takes the days it covers best, and exports what it loads', async () => {
    const dataDir = join(folder, 'imported');
    const argv = ['demo', '--nights', '3', '--from', writeObservations(), '--json'];
    const { code, out } = await command(dataDir, argv);
    expect(code).toBe(0);
    const { nights, tables } = JSON.parse(out) as DemoJson;
    const midnight = NOON - 60 * DAY_MS + 12 * HOUR_MS;
    expect(nights.map(({ at }) => at)).toEqual([0, 1, 2].map((n) => isoOf(midnight + n * DAY_MS)));
    expect(tables.videos).toBe(12);
    const manifest = JSON.parse(
      readFileSync(join(dataDir, 'parquet', 'manifest.json'), 'utf8'),
    ) as {
      files: { table: string; rows: number }[];
    };
    const exported = (table: string) =>
      manifest.files
        .filter((file) => file.table === table)
        .reduce((sum, { rows }) => sum + rows, 0);
    for (const table of ['videos', 'video_snapshots', 'rankings'])
      expect(exported(table)).toBe(tables[table]);
  });

  test('twice is the same, and sets the first one aside', async () => {
    const dataDir = join(folder, 'twice');
    const argv = ['demo', '--nights', '2', '--from', writeObservations(), '--json'];
    const first = await command(dataDir, argv);
    const second = await command(dataDir, argv);
    expect(JSON.parse(second.out)).toEqual(JSON.parse(first.out));
    expect(second.err).toMatch(/was moved to/);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('sandbox-'))).toHaveLength(1);
  });

  test('says what is wrong with its input, and changes nothing', async () => {
    const dataDir = join(folder, 'wrong');
    const from = writeObservations();
    for (const [argv, problem] of [
      [['demo', '--nights', '0'], /whole number from 1/],
      [['demo', '--at', 'tomorrow'], /ISO 8601/],
      [['demo', '--from', join(folder, 'nowhere')], /does not exist. Expected/],
      [['demo', '--from', from, '--at', '2001-01-01'], /no counts of videos before/],
    ] as const) {
      const { code, err } = await command(dataDir, [...argv]);
      expect(code).toBe(2);
      expect(err).toMatch(problem);
    }
    expect(existsSync(join(dataDir, 'trendlake.db'))).toBe(false);
  });
});

describe('sandbox', () => {
  test('prints one line with its address and key, and ends when asked to', async () => {
    const argv = ['sandbox', '--from', writeObservations()];
    const stop = { at: 'first line', with: new AbortController() };
    const { code, out } = await command(join(folder, 'unused'), argv, stop);
    expect(code).toBe(0);
    const { url, key } = JSON.parse(out) as { url: string; key: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(key).toMatch(/^tl_live_/);
    await expect(fetch(url)).rejects.toThrow();
  });

  test('stopped while it starts, says so and leaves nothing', async () => {
    const argv = ['sandbox', '--from', writeObservations()];
    const stop = { at: 'never', with: new AbortController() };
    stop.with.abort();
    const { code, out, err } = await command(join(folder, 'unused'), argv, stop);
    expect(code).toBe(75);
    expect(out).toBe('');
    expect(err).toMatch(/stopped before it was ready/);
    const { out: told } = await command(join(folder, 'unused'), [...argv, '--json'], stop);
    expect(JSON.parse(told)).toMatchObject({ error: { code: 'stopped' } });
  });

  test('refuses what it cannot do before it starts', async () => {
    for (const argv of [
      ['--speed', '0'],
      ['--port', '70000'],
      ['--tier', 'gold'],
      ['--at', '1'],
    ]) {
      const { code } = await command(join(folder, 'unused'), ['sandbox', ...argv]);
      expect(code).toBe(2);
    }
  });
});

describe('a sparkline', () => {
  test('goes from the lowest to the highest bar', () => {
    expect(sparkline([0, 50, 100])).toBe('▁▅█');
    expect(sparkline([7])).toBe('▁');
    expect(sparkline(Array.from({ length: 100 }, (_, i) => i)).length).toBe(40);
  });
});
