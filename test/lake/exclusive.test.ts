import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { LakeError } from '../../src/base/errors.ts';
import { whileAlone, withExclusive } from '../../src/lake/exclusive.ts';

const clock = virtualClock(Date.UTC(2026, 0, 1));
const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'trendlake-exclusive-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

test('of two at once one works and the other hears who does', async () => {
  const folder = freshFolder();
  const outcome = withExclusive(folder, 'run', clock, async () => {
    const other = withExclusive(folder, 'run', clock, async () => 'second').catch((e) => e);
    expect(await withExclusive(folder, 'export', clock, async () => 'other name')).toBe(
      'other name',
    );
    return other;
  });
  const refused = await outcome;
  expect(refused).toBeInstanceOf(LakeError);
  expect(refused).toMatchObject({ transient: true, exitCode: 1 });
  expect(String(refused)).toContain(`process ${process.pid}`);
  expect(String(refused)).toContain('2026-01-01T00:00:00.000Z');
});

test('it is free again when the work is done, or has thrown', async () => {
  const folder = freshFolder();
  const failing = withExclusive(folder, 'run', clock, () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
  expect(await withExclusive(folder, 'run', clock, async () => 1)).toBe(1);
  expect(await withExclusive(folder, 'run', clock, async () => 2)).toBe(2);
});

test('work that awaits nothing waits for its turn, and says so when it does not come', async () => {
  const folder = freshFolder();
  await withExclusive(folder, 'migration', clock, async () => {
    expect(() => whileAlone(folder, 'migration', 20, () => 1)).toThrow(
      expect.objectContaining({ transient: true, message: expect.stringMatching(/0.02 s/) }),
    );
  });
  expect(whileAlone(folder, 'migration', 20, () => 1)).toBe(1);
});

test('a killed process leaves nothing locked, a living one keeps the others out', async () => {
  const folder = freshFolder();
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./exclusive-child.ts', import.meta.url)), folder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const refused = withExclusive(folder, 'run', clock, async () => 1);
  await expect(refused).rejects.toThrow(`process ${child.pid} `);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await withExclusive(folder, 'run', clock, async () => 'free')).toBe('free');
});
