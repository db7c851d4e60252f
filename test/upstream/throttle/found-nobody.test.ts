import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { monthState } from '../../../src/upstream/throttle/lake-ledger.ts';
import { freshFolder } from '../../support/fresh.ts';
import { smallConfig, syncOnce } from '../../support/sync-once.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** A port that takes connections and does nothing else but what `onRequest` does. */
const listen = async (
  onConnection: (socket: import('node:net').Socket) => void,
): Promise<number> => {
  server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

/** Rows that a sync leaves in the ledger. */
const syncFrom = async (baseUrl: string) => {
  const dataDir = freshFolder();
  const { summary } = await syncOnce(dataDir, baseUrl);
  const lake = openLakeForReading(dataDir);
  try {
    const calls = lake.sqlite
      .prepare('select sent, count(*) as calls from calls group by sent')
      .all() as { sent: number; calls: number }[];
    const held = lake.sqlite
      .prepare(
        'select count(*) from calls where free_mono > (select max(sent_mono) from calls) + 1000',
      )
      .pluck()
      .get();
    const month = monthState(lake, smallConfig(dataDir, baseUrl), WORLD_AT);
    return { summary, calls, held, month };
  } finally {
    lake.close();
  }
};

test.each([
  ['a name nobody knows', 'http://nobody.invalid/v1'],
  ['a port where nothing listens', 'http://127.0.0.1:1/v1'],
])('%s costs neither month nor minute, and is kept in the ledger', async (_, where) => {
  const { summary, calls, held, month } = await syncFrom(where);
  expect(summary.outcome).toBe('failed');
  expect(summary.reason).toContain('has not answered 4 attempts to connect in a row');
  expect(summary.calls).toMatchObject({ sent: 0, ok: 0, failed: 0 });
  expect(calls).toEqual([{ sent: 0, calls: 4 }]);
  expect(held).toBe(0);
  expect(month).toMatchObject({ spent: 0, remaining: 100_000 });
});

test('a connection that opened and broke is spent: the service may have counted it', async () => {
  const port = await listen((socket) => socket.once('data', () => socket.destroy()));
  const { summary, calls, held, month } = await syncFrom(`http://127.0.0.1:${port}/v1`);
  expect(calls).toEqual([{ sent: 1, calls: 4 }]);
  expect(summary.reason).toContain('has not answered 4 calls in a row');
  expect(summary.calls).toMatchObject({ sent: 4, failed: 4 });
  expect(held).toBe(4);
  expect(month.spent).toBe(4);
});
