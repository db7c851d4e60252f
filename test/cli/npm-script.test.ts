import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN } from '../support/cli-bin.ts';
import { freshFolder } from '../support/fresh.ts';

test('stopping `npm run trendlake` stops trendlake, not just npm', async () => {
  const child = spawn('npm', ['run', '-s', 'trendlake', '--', 'serve', '--port', '0', '--json'], {
    cwd: join(dirname(BIN), '..', '..'),
    env: { ...process.env, TRENDLAKE_DATA_DIR: freshFolder() },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { dashboard } = JSON.parse(line.toString()) as { dashboard: string };
  child.stdout.resume();
  const closed = once(child, 'close'); // when nobody holds its stdout any more
  child.kill('SIGTERM');
  await closed;
  await expect(fetch(dashboard)).rejects.toThrow();
});
