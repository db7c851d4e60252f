import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { living, whileLiving } from '../../src/lake/exclusive.ts';
import { freshFolder } from '../support/fresh.ts';

const NOON = Date.UTC(2026, 4, 10, 12);
const MODULE = new URL('../../src/lake/exclusive.ts', import.meta.url).href;
const CLOCK = new URL('../../src/base/clock.ts', import.meta.url).href;

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
