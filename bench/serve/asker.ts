import { setTimeout as rest } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import type { AskerWork } from './start-asker.ts';

// The worker of startAsker.

const work = workerData as AskerWork;
const { origin, paths, count, connections, keys, restMs, headers = {} } = work;
const pool = new Pool(origin, { connections });
const spans: number[] = [];
let next = 0;
parentPort?.once('message', () => {
  next = count;
});
const askAll = async (): Promise<void> => {
  while (next < count) {
    const path = paths[next % paths.length] as string;
    const key = keys[next++ % keys.length];
    const from = performance.now();
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    await body.arrayBuffer();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
    spans.push(performance.now() - from);
    if (restMs > 0) await rest(restMs);
  }
};
const from = performance.now();
await Promise.all(Array.from({ length: connections }, askAll));
parentPort?.postMessage({ spans, totalMs: performance.now() - from });
parentPort?.close();
await pool.close();
