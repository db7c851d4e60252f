import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { living, whileLiving } from '../../src/lake/exclusive.ts';
import { freshFolder } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

const NOON = Date.UTC(2026, 4, 10, 12);
const MODULE = new URL('../../src/lake/exclusive.ts', import.meta.url).href;
const CLOCK = new URL('../../src/base/clock.ts', import.meta.url).href;

/** A clock whose sleepers wake when `advance` moves it. */
const heldClock = (startAt: number) => {
  let at = startAt;
  let wake = Promise.withResolvers<void>();
  return {
    now: () => at,
    monotonic: () => at,
    sleep: (_ms: number, signal?: AbortSignal) => {
      signal?.addEventListener('abort', () => wake.reject(signal.reason));
      return wake.promise;
    },
    advance: async (ms: number) => {
      at += ms;
      const { resolve } = wake;
      wake = Promise.withResolvers();
      resolve();
      await Promise.resolve();
    },
  };
};

test('whoever is at work is seen, several at once, and no longer when done', async () => {
  const dataDir = freshFolder();
  const clock = virtualClock(NOON);
  expect(living(dataDir, 'schedule')).toEqual([]);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const a = whileLiving(dataDir, { name: 'schedule', word: 'a1', clock }, () => first.promise);
  const b = whileLiving(dataDir, { name: 'schedule', word: 'b2', clock }, () => second.promise);
  expect(living(dataDir, 'schedule')).toHaveLength(2);
  expect(living(dataDir, 'schedule')[0]).toMatchObject({ since: NOON });
  expect(living(dataDir, 'other')).toEqual([]);
  first.resolve();
  await a;
  expect(living(dataDir, 'schedule')).toHaveLength(1);
  second.resolve();
  await b;
  expect(living(dataDir, 'schedule')).toEqual([]);
  expect(readdirSync(join(dataDir, 'locks'))).toEqual([]);
});

test('one that was killed does not live, whatever it left', async () => {
  const dataDir = freshFolder();
  const code = `
    const { whileLiving } = await import(${JSON.stringify(MODULE)});
    const { systemClock } = await import(${JSON.stringify(CLOCK)});
    await whileLiving(${JSON.stringify(dataDir)}, { name: 'schedule', word: 'x', clock: systemClock }, () => {
      console.log('alive');
      return new Promise(() => setInterval(() => {}, 1000));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  expect(living(dataDir, 'schedule')[0]?.holder).toContain(`process ${child.pid} `);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(readdirSync(join(dataDir, 'locks')).length).toBeGreaterThan(0);
  expect(living(dataDir, 'schedule')).toEqual([]);
});

test('a process gives signs of life; one that hangs gives none, though it holds its lock', async () => {
  const dataDir = freshFolder();
  const clock = virtualClock(NOON);
  const wall = heldClock(NOON);
  const over = Promise.withResolvers<void>();
  const sign = { name: 'schedule', word: 'a1', clock, wall };
  const work = whileLiving(dataDir, sign, () => over.promise);
  const signAt = () => living(dataDir, 'schedule')[0]?.signAt;
  expect(signAt()).toBe(NOON);
  await wall.advance(15_000);
  expect(signAt()).toBe(NOON + 15_000);
  expect(living(dataDir, 'schedule')[0]?.isHere).toBe(true);
  over.resolve();
  await work;
});

test('health fails without a process, and names one that hangs', async () => {
  const dataDir = freshFolder();
  const at = (now: number) => ({ dataDir, clock: virtualClock(now) });
  expect(await runCommand(['health'], at(NOON))).toMatchObject({
    code: 1,
    out: `Neither schedule nor serve runs on this machine over ${dataDir}.`,
  });
  const over = Promise.withResolvers<void>();
  const clock = virtualClock(NOON);
  const sign = { name: 'serve', word: 'a1', clock, wall: heldClock(NOON) };
  const work = whileLiving(dataDir, sign, () => over.promise);
  const well = await runCommand(['health', '--json'], at(NOON + 60_000));
  expect(well.code).toBe(0);
  expect(JSON.parse(well.out)).toMatchObject({
    ok: true,
    processes: [{ name: 'serve', silentMs: 60_000, ok: true }],
  });
  const hung = await runCommand(['health'], at(NOON + 5 * 60_000));
  expect(hung.code).toBe(1);
  expect(hung.out).toMatch(
    /^serve \(process \d+ on .*\) hangs: no sign of life for 5 min\. Restart it\.$/m,
  );
  over.resolve();
  await work;
});
