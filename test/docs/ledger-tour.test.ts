import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BIN } from '../support/cli-bin.ts';
import { freshFolder } from '../support/fresh.ts';
import { age, dbAt, ledgerServer } from '../upstream/ledger-postgres/ledger-server.ts';

const servers = await ledgerServer();
const page = readFileSync(
  join(import.meta.dirname, '..', '..', 'docs', 'guides/many-machines.md'),
  'utf8',
);
const [, tour = ''] = /^### A tour of the ledger\n([\s\S]*?)^### /m.exec(page) ?? [];
const blocks = (language: string): string[] =>
  [...tour.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );
/** A schedule with a slot to catch up on, the next of which does not come while the test runs. */
const RARELY = '0 0 1 * *';
const EMPTY = JSON.stringify({ total: 0, page: 1, items: [] });

test.skipIf(servers.missing !== undefined)(
  servers.missing ?? 'two daemons on one key: one is killed, the other goes on',
  async () => {
    let answers = false;
    const upstream = createServer((_, response) => {
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end(EMPTY);
    }); // the first requests are never answered, so that who sent them dies over them
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    const folder = freshFolder();
    const url = servers.postgres.url('trendlake');
    const db = dbAt(url);
    const children: ChildProcess[] = [];
    onTestFinished(async () => {
      for (const child of children) child.kill('SIGKILL');
      upstream.closeAllConnections();
      upstream.close();
      await db.close();
    });
    const env = {
      ...process.env,
      TRENDLAKE_LEDGER_URL: url,
      TRENDLAKE_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
      TRENDLAKE_API_KEY: 'one-key-of-two-machines',
      TRENDLAKE_SCHEDULES: JSON.stringify({
        feed: RARELY,
        trends: 'off',
        hashtags: 'off',
        watch: 'off',
        growth: 'off',
        creators: 'off',
        export: 'off',
        backup: 'off',
        prune: 'off',
      }),
    };
    const shell = (block: string): ChildProcess => {
      const program = `"${process.execPath}" "${BIN}"`; // one process, so that killing it is killing all
      const script = `exec env ${block.replace('trendlake ledger', `${program} ledger`).replace('trendlake schedule', `${program} schedule`)}`;
      const child = spawn('sh', ['-ec', script], { cwd: folder, env, stdio: 'pipe' });
      children.push(child);
      return child;
    };
    const [init = '', where = '', berlin = '', oslo = ''] = blocks('sh');
    expect(where).toContain('TRENDLAKE_LEDGER_URL=postgres://');
    expect(await once(shell(init), 'exit')).toEqual([0, null]);
    const [question = ''] = blocks('sql');
    const slots = () => db.rows<{ lake: string; job: string; done: boolean }>(question);

    const first = shell(berlin);
    await expect.poll(slots).toMatchObject([{ lake: 'berlin', done: false }]);
    const calls = () => db.rows<{ lake: string }>('select distinct lake from trendlake.calls');
    await expect.poll(calls).toEqual([{ lake: 'berlin' }]);
    first.kill('SIGKILL');
    await once(first, 'exit');
    answers = true;
    await age(db, 61_000); // the minute after its last sign
    shell(oslo);
    await expect.poll(slots).toMatchObject([{ lake: 'oslo', job: 'feed', done: true }]);
  },
);
