import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

// Asks for addresses without end over many connections at once, whatever comes back, until it is
// stopped; then reports how many responses of each status it had. Runs in its own worker, so that flooding does
// not slow measuring more than the processor does.

const {
  origin,
  paths,
  method,
  connections,
  body = null,
  headers = body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' },
} = workerData as {
  origin: string;
  paths: string[];
  method: 'GET' | 'POST' | 'OPTIONS';
  connections: number;
  body?: string | null;
  headers?: Record<string, string>;
};
const pool = new Pool(origin, { connections, pipelining: 1 });
const statuses: Record<string, number> = {};
const note = (status: string): void => {
  statuses[status] = (statuses[status] ?? 0) + 1;
};
let isOver = false;
let next = 0;
parentPort?.once('message', () => {
  isOver = true;
});
const flood = async (): Promise<void> => {
  while (!isOver) {
    const path = paths[next++ % paths.length] ?? '/';
    try {
      const answer = await pool.request({ path, method, headers, body });
      await answer.body.dump();
      note(String(answer.statusCode));
    } catch (error) {
      note((error as { code?: string }).code ?? 'failed');
    }
  }
};
await Promise.all(Array.from({ length: connections }, flood));
await pool.destroy();
parentPort?.postMessage(statuses);
