import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runShellCommand } from '../../src/base/shell-command.ts';
import { isAlive } from '../support/alive.ts';
import { eventually } from '../support/eventually.ts';
import { freshFolder } from '../support/fresh.ts';

const env = { PATH: process.env.PATH };

test.runIf(process.platform === 'linux').each([
  ['a command that ignores SIGTERM', "trap '' TERM;"],
  ['a command that ends at SIGTERM', ''],
])('%s is ended with all that it started', async (_, before) => {
  const file = join(freshFolder(), 'pids');
  const stop = new AbortController();
  const command = `${before} sleep 1000 & echo $! $$ > '${file}.new'; mv '${file}.new' '${file}'; sleep 1000; wait`;
  const options = { input: '', env, signal: stop.signal, graceMs: 1 };
  const ended = runShellCommand(command, options).catch(String);
  await eventually(() => expect(existsSync(file)).toBe(true));
  const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  stop.abort(new Error('no longer wanted'));
  expect(await ended).toBe('Error: no longer wanted');
  await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]));
});

test('a command that ends by itself leaves alone what it left running', async () => {
  const file = join(freshFolder(), 'pid');
  const { signal } = new AbortController();
  await runShellCommand(`sleep 1000 & echo $! > '${file}'`, { input: '', env, signal });
  const pid = Number(readFileSync(file, 'utf8'));
  expect(isAlive(pid)).toBe(process.platform === 'linux');
  process.kill(pid, 'SIGKILL');
});
