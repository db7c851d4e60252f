import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { postgresAddress } from '../../../src/base/config/postgres-url.ts';
import { required } from '../../../src/lake/prepare.ts';
import { LedgerAwayError } from '../../../src/upstream/ledger-postgres/errors.ts';
import { LedgerDb } from '../../../src/upstream/ledger-postgres/ledger-db.ts';

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const READY = message('Z', Buffer.from('I'));
const LET_IN = Buffer.concat([message('R', Buffer.alloc(4)), READY]);
const DONE = Buffer.concat([message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0))]);
const COMPLETE = Buffer.concat([DONE, message('C', Buffer.from('SELECT 0\0')), READY]);

/**
 * A server that lets in, answers the first statement without rows, and is frozen from then on, on
 * each of its connections.
 */
const frozenServer = async (): Promise<{ port: number; sockets: readonly Socket[] }> => {
  const sockets: Socket[] = [];
  let isFrozen = false;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      if (isFrozen) return;
      socket.write(LET_IN);
      socket.once('data', () => {
        if (isFrozen) return;
        isFrozen = true;
        socket.write(COMPLETE);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
};

test('closing leaves no socket open while the server is frozen', async () => {
  const { port, sockets } = await frozenServer();
  const url = `postgres://user@127.0.0.1:${port}/db?sslmode=disable`;
  const db = new LedgerDb(required(postgresAddress(url)), {
    clock: virtualClock(Date.UTC(2026, 2, 1)),
  });
  expect(await db.rows('select')).toEqual([]);
  await db.close();
  const [socket] = sockets;
  // a closed peer resets the connection, which the next write finds
  while (socket?.destroyed === false) await new Promise((written) => socket.write(READY, written));
});

test('a process that is asked to end does not wait for a frozen server', async () => {
  const { port } = await frozenServer();
  const url = `postgres://user@127.0.0.1:${port}/db?sslmode=disable`;
  const stopping = new AbortController();
  const db = new LedgerDb(required(postgresAddress(url)), {
    clock: virtualClock(Date.UTC(2026, 2, 1)),
    stopping: stopping.signal,
  });
  expect(await db.rows('select')).toEqual([]);
  const waiting = Promise.allSettled([db.rows('select'), db.rows('select')]);
  stopping.abort();
  const reason = expect.any(LedgerAwayError) as unknown;
  expect(await waiting).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  await expect(db.rows('select')).rejects.toThrow(LedgerAwayError);
  await db.close();
});

test('connecting to a frozen server takes no longer than a statement may', {
  timeout: 4000,
}, async () => {
  const server = createServer((socket) => socket.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `postgres://user@127.0.0.1:${port}/db?sslmode=disable`;
  const clock = virtualClock(Date.UTC(2026, 2, 1));
  const options = { clock, patienceMs: 0, answerMs: 20 };
  const db = new LedgerDb(required(postgresAddress(url)), options);
  await expect(db.rows('select')).rejects.toThrow(LedgerAwayError);
  await db.close();
});
