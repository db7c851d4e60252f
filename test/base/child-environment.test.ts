import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { backupLake } from '../../src/run/maintenance/backup.ts';
import { freshDataDir, freshFolder, freshLake } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

const SECRETS = {
  TRENDLAKE_BASE_URL: 'http://127.0.0.1:9/v1', // a key needs one
  TRENDLAKE_API_KEY: 'secret-1-of-the-test',
  TRENDLAKE_LEDGER_URL: 'postgres://user:secret-2@127.0.0.1/db',
  AWS_SECRET_ACCESS_KEY: 'secret-3-of-the-test',
};

/** Makes a Node process write its environment into a file as it starts. */
const telling = (file: string): string => {
  const source = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
};

test('the process of a query gets no secret, and the time zone', async () => {
  const file = join(freshFolder(), 'env');
  const env = { ...SECRETS, TZ: 'Asia/Tokyo', NODE_OPTIONS: telling(file) };
  const argv = ['query', "select strftime('%H', 0, 'unixepoch', 'localtime') as hour", '--csv'];
  const { out } = await runCommand(argv, { dataDir: freshDataDir(), env });
  expect(out).toBe('hour\n09');
  expect(readFileSync(file, 'utf8')).not.toMatch(/secret|AWS|API_KEY|LEDGER/i);
});

test('the process that checks a backup gets nothing', async () => {
  const file = join(freshFolder(), 'env');
  vi.stubEnv('NODE_OPTIONS', telling(file));
  for (const [name, value] of Object.entries(SECRETS)) vi.stubEnv(name, value);
  await backupLake(freshLake(), { clock: virtualClock(0) });
  vi.unstubAllEnvs();
  expect(() => readFileSync(file)).toThrow(/ENOENT/); // as it would have written what it got
});
