import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startOnFreePort } from '../../fixtures/free-port.ts';

const listenOn = async (port: number): Promise<Server> => {
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
};

test('a server starts on another port when its port was taken meanwhile', async () => {
  const asked: number[] = [];
  const { port, server } = await startOnFreePort(async (free) => {
    asked.push(free);
    if (asked.length === 1) await listenOn(free); // somebody is faster
    return listenOn(free);
  });
  expect(asked).toHaveLength(2);
  expect(server.address()).toMatchObject({ port });
  expect(port).toBe(asked[1]);
});

test('a start that fails for another reason is not tried again', async () => {
  const asked: number[] = [];
  const start = startOnFreePort((port) => {
    asked.push(port);
    return Promise.reject(new Error('no disk'));
  });
  await expect(start).rejects.toThrow('no disk');
  expect(asked).toHaveLength(1);
});
