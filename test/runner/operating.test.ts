import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freshFolder } from '../support/fresh.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'operating.md');
const ANALYZE = 'systemd-analyze'; // of the system, where there is one
const hasSystemd = spawnSync(ANALYZE, ['--version']).status === 0;

test.runIf(hasSystemd)('the units of docs/operating.md are ones that systemd takes', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const units = [...page.matchAll(/`\/etc\/systemd\/system\/([\w.-]+)`:\s+```ini\n([\s\S]*?)```/g)];
  expect(units.map(([, name]) => name)).toEqual([
    'trendlake.service',
    'trendlake-sync.service',
    'trendlake-sync.timer',
  ]);
  const folder = freshFolder();
  const paths = units.map(([, name = '', text = '']) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  });
  const { stderr } = await promisify(execFile)(ANALYZE, ['verify', '--man=no', ...paths]);
  expect(stderr.split('\n').filter((line) => line.includes('trendlake'))).toEqual([]);
});
