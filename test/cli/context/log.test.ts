import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { echo, item, status, text } from '../../../fixtures/faults.ts';
import {
  type Fault,
  type FaultRule,
  type FaultyUpstream,
  startFaultyUpstream,
} from '../../../fixtures/faulty-upstream.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { BIN } from '../../support/cli-bin.ts';
import { freshDataDir, freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';

interface Line {
  level: string;
  time: string;
  msg: string;
  runId?: number;
  job?: string;
  item?: string;
  callId?: number;
  outcome?: string;
  attempt?: number;
  ms?: number;
  status?: number | null;
  rows?: number;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

let upstream: FaultyUpstream | undefined;
afterEach(async () => {
  await upstream?.close();
  upstream = undefined;
});

/** A sync against a small world that misbehaves by rule. */
const syncWith = async (
  rules: FaultRule[],
  env: Record<string, string>,
  argv: readonly string[] = [],
) => {
  upstream = await startFaultyUpstream(rules);
  const dataDir = freshDataDir();
  const given = {
    TRENDLAKE_BASE_URL: upstream.baseUrl,
    TRENDLAKE_API_KEY: KEY,
    TRENDLAKE_RATE_PER_MINUTE: '1000',
    TRENDLAKE_PLATFORMS: 'tiktok',
    TRENDLAKE_GROWTH_CALLS: '2',
    TRENDLAKE_CREATOR_CALLS: '1',
    ...env,
  };
  const result = await runCommand(['sync', '--no-export', ...argv], { dataDir, env: given });
  return { ...result, dataDir };
};

test('a run is logged: its start and end, and each call with ids, cost and rows', async () => {
  const { code, out, err, dataDir } = await syncWith(
    [{ on: /trends\/tiktok\/week/, fault: status(500), times: 1 }],
    { TRENDLAKE_LOG: 'debug' },
    ['--json'],
  );
  expect(code).toBe(0);
  expect((JSON.parse(out) as { outcome: string }).outcome).toBe('complete');
  const lines = linesOf(err);
  expect(lines[0]).toMatchObject({ level: 'info', runId: 1, msg: 'run 1 began' });
  expect(lines.find(({ msg }) => msg === 'run 1 complete')).toMatchObject({
    level: 'info',
    outcome: 'complete',
  });
  const told = lines.filter(({ callId }) => callId !== undefined);
  const lake = openLakeForReading(dataDir);
  const ledger = lake.sqlite
    .prepare(
      `select id as callId, run_id as runId, job, request as item, status,
         error as msg from calls order by id`,
    )
    .all() as (Omit<Line, 'msg'> & { msg: string | null })[];
  lake.close();
  expect(told.sort((a, b) => (a.callId ?? 0) - (b.callId ?? 0))).toEqual(
    ledger.map(({ msg, ...call }) => ({
      ...call,
      time: expect.stringMatching(/^2026-03-01T00:\d\d:\d\d\.\d{3}Z$/),
      attempt: expect.any(Number),
      ms: expect.any(Number),
      ...(msg === null
        ? { level: 'debug', outcome: 'ok', rows: expect.any(Number), msg: 'response loaded' }
        : { level: 'warn', outcome: 'failed', error: expect.stringMatching(/Error$/), msg }),
    })),
  );
  const again = told.filter(({ item }) => item?.includes('trends/tiktok/week'));
  expect(again.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
    [1, 'failed'],
    [2, 'ok'],
  ]);
});

test('drift and rejected items are warnings, once a run; what failed for good is an error', async () => {
  const { code, err } = await syncWith(
    [
      { on: /feed/, fault: item({ id: null, mood: 'great' }), times: 2 },
      { on: /trends/, fault: item({ views: 'many', user: undefined, mood: 'great' }), times: 1 },
      { on: /hashtags/, fault: status(400), times: 9 },
    ],
    { TRENDLAKE_LOG: 'warn' },
  );
  expect(code).toBe(3);
  const lines = linesOf(err);
  const feed = { runId: 1, job: 'feed', callId: expect.any(Number) };
  expect(lines.filter(({ msg }) => msg === 'items rejected')[0]).toMatchObject({
    level: 'warn',
    rejected: 1,
    ...feed,
  });
  expect(lines.filter(({ msg }) => msg === 'drift')).toEqual([
    expect.objectContaining({
      job: 'trends',
      drift: [
        'content item: mood',
        'content item: views (unexpected value)',
        'content item: user (missing)',
      ],
    }),
  ]);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({ job: 'hashtags', outcome: 'failed', status: 400 }),
  ]);
  expect(lines.at(-1)).toMatchObject({ level: 'warn', outcome: 'partial', msg: 'run 1 partial' });
});

test('unless asked for, nothing is logged and people read what they always did', async () => {
  const { err } = await syncWith([{ on: /hashtags/, fault: status(400), times: 9 }], {});
  expect(err).not.toContain('{');
  expect(err).toContain('/hashtags');
});

test('with a file, lines are appended there and stderr stays for people; the key is in neither', async () => {
  const path = join(freshFolder(), 'logs', 'trendlake.log');
  const rules = [{ on: /feed/, fault: echo(400), times: 9 }];
  for (const runs of [1, 2]) {
    const { err } = await syncWith(rules, { TRENDLAKE_LOG_FILE: path, TRENDLAKE_LOG: 'debug' });
    expect(err).not.toContain('"level"');
    await upstream?.close();
    upstream = undefined;
    const text = readFileSync(path, 'utf8');
    expect(linesOf(text).filter(({ msg }) => msg === 'run 1 began')).toHaveLength(runs);
    expect(text + err).not.toContain(KEY);
    expect(text).not.toContain('Video 7'); // a title: no line holds a body
  }
});

const SOMEBODYS = 'Ann of 5 Elm Row';
/** Answers that cannot be read, each saying what is somebody's own. */
const UNREADABLE: [string, Fault, RegExp][] = [
  ['HTML', text(`<p>${SOMEBODYS}</p>`), /looks like HTML/],
  ['JSON that is cut', text(`{"items": [{"title": "${SOMEBODYS}`), /cut or garbled/],
  ['JSON that is garbled', text(`{"items": [${SOMEBODYS}]}`), /cut or garbled/],
  ['a plain sentence', text(SOMEBODYS), /something else/],
  ['a shape nobody knows', text(`{"title": "${SOMEBODYS}"}`), /an object with the fields title/],
  ['another shape', text(`"${SOMEBODYS}"`), /text of 16 characters/],
  ['an odd id', item({ id: [SOMEBODYS] }), /got a list of 1/],
  ['an odd platform', item({ platform: SOMEBODYS }), /unknown platform \(text/],
  ['a further field', item({ about: SOMEBODYS }), /content item: about/],
];

test.each(UNREADABLE)(
  'of %s the log and the ledger say what it is, not what it says',
  async (_, fault, says) => {
    const rules = [{ on: /feed/, fault, times: 9 }];
    const { err, dataDir } = await syncWith(rules, { TRENDLAKE_LOG: 'debug' }, ['--json']);
    expect(err).toMatch(says);
    expect(err).not.toContain('Elm Row');
    const lake = openLakeForReading(dataDir);
    const errors = 'select error from calls union select error from run_items';
    expect(lake.sqlite.prepare(errors).pluck().all().join()).not.toContain('Elm Row');
    lake.close();
  },
);

test('a file that cannot be written is refused before anything is asked', async () => {
  const { code, err } = await syncWith([], { TRENDLAKE_LOG_FILE: '/dev/null/x.log' });
  expect(code).toBe(2);
  expect(err).toMatch(/TRENDLAKE_LOG_FILE cannot be written/);
  expect(upstream?.arrivals).toEqual([]);
});

test('a command that is stopped has not failed: its last line says paused', async () => {
  const dataDir = freshDataDir();
  freshLake(dataDir);
  const signal = AbortSignal.abort(new Error('stopped by SIGTERM'));
  const env = { TRENDLAKE_LOG: 'info' };
  const { code, err } = await runCommand(['export'], { dataDir, env, signal });
  expect(code).toBe(75);
  const lines = linesOf(err.replace(/^trendlake: .*$/m, ''));
  expect(lines.at(-1)).toMatchObject({
    level: 'info',
    outcome: 'paused',
    msg: 'stopped by SIGTERM',
  });
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

test('the daemon logs without a terminal, including how it ended', async () => {
  upstream = await startFaultyUpstream();
  child = spawn(process.execPath, [BIN, 'schedule'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      TRENDLAKE_DATA_DIR: freshDataDir(),
      TRENDLAKE_BASE_URL: upstream.baseUrl,
      TRENDLAKE_API_KEY: KEY,
      TRENDLAKE_PLATFORMS: 'tiktok',
      TRENDLAKE_SCHEDULES: '{"growth": "off", "creators": "off", "backup": "off"}',
    },
  });
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    err += String(chunk);
  });
  await vi.waitFor(() => expect(err).toContain('run 1 complete'), { timeout: 200_000 });
  child.kill('SIGTERM');
  await once(child, 'close');
  const lines = linesOf(err);
  expect(lines[0]?.msg).toMatch(/^trendlake schedules feed, trends, hashtags/);
  expect(lines.find(({ msg }) => msg === 'run 1 complete')).toMatchObject({
    level: 'info',
    runId: 1,
    outcome: 'complete',
  });
  expect(lines.at(-1)?.msg).toBe('stopped');
});

test('where stderr is the journal, each line begins with its priority', async () => {
  const dataDir = freshDataDir();
  freshLake(dataDir);
  const path = join(dataDir, 'journal');
  const file = openSync(path, 'w');
  const { dev, ino } = fstatSync(file, { bigint: true });
  const logging = spawn(process.execPath, [BIN, 'export', '--json'], {
    stdio: ['ignore', 'ignore', file],
    env: {
      ...process.env,
      TRENDLAKE_DATA_DIR: dataDir,
      TRENDLAKE_LOG: 'info',
      JOURNAL_STREAM: `${dev}:${ino}`,
    },
  });
  await once(logging, 'exit');
  closeSync(file);
  expect(readFileSync(path, 'utf8')).toMatch(/^<6>\{"level":"info",.*"msg":"exported"\}\n$/);
});
