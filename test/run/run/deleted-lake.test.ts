import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

test('stops with an error when the lake is deleted during a sync, and leaves no empty file', async () => {
  const dataDir = freshDataDir();
  const server = createServer((_, response) => {
    for (const name of readdirSync(dataDir).filter((file) => file.startsWith('trendlake.db')))
      rmSync(join(dataDir, name));
    response.setHeader('content-type', 'application/json');
    response.end('{"total":0,"page":1,"items":[]}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const env = {
    TRENDLAKE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    TRENDLAKE_API_KEY: 'tl_live_deleted',
  };
  const { code, err } = await runCommand(['sync', '--jobs', 'feed'], { dataDir, env });
  expect(code).toBe(1);
  expect(err).toContain('was deleted or moved while this process had it open');
  expect(err).not.toContain('no such table');
  expect(existsSync(join(dataDir, 'trendlake.db'))).toBe(false);
});
