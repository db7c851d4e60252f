import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY, syncOnce } from '../../support/sync-once.ts';

test('doctor --bundle writes one file without secrets, which only its user may read', async () => {
  const dataDir = freshFolder();
  const upstream = await startFaultyUpstream();
  await syncOnce(dataDir, upstream.baseUrl);
  const path = join(dataDir, 'bundle.json');
  const env = {
    TRENDLAKE_BASE_URL: upstream.baseUrl,
    TRENDLAKE_API_KEY: KEY,
    TRENDLAKE_NOTIFY: 'mail the-secret-command',
  };
  const { code, out } = await runCommand(['doctor', '--bundle', path], { dataDir, env });
  expect([code, out]).toEqual([0, expect.stringContaining(`Written to ${path}.`)]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, 'utf8');
  expect(text).not.toContain(KEY);
  expect(text).not.toContain('the-secret-command');
  expect(JSON.parse(text)).toMatchObject({
    node: process.version,
    dataDir: { 'trendlake.db': { files: 1 } },
    lake: { rows: { videos: expect.any(Number) }, runs: [{ id: 1, outcome: 'complete' }] },
    settings: expect.arrayContaining([
      expect.objectContaining({ name: 'notify', value: '(hidden)' }),
    ]),
    findings: expect.arrayContaining([expect.objectContaining({ check: 'settings', ok: true })]),
  });
  const again = await runCommand(['doctor', '--bundle', path], { dataDir, env });
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('already exists')]);
  await upstream.close();
});

test('doctor --bundle names the problem of a lake that it cannot open', async () => {
  const dataDir = freshFolder();
  const path = join(dataDir, 'bundle.json');
  await runCommand(['doctor', '--bundle', path, '--json'], { dataDir });
  expect(existsSync(path)).toBe(true);
  const { lake } = JSON.parse(readFileSync(path, 'utf8')) as { lake: { error?: string } };
  expect(lake.error).toMatch(/no lake|There is no|sync/i);
});
