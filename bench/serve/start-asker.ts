import { Worker } from 'node:worker_threads';

/** Requests that an asker makes. */
export interface AskerWork {
  readonly origin: string;
  /** Asked one after another, from the first again after the last. */
  readonly paths: readonly string[];
  /** Requests in all. */
  readonly count: number;
  readonly connections: number;
  /** Each request uses the next of them. */
  readonly keys: readonly string[];
  /** Pause of a connection after each response. */
  readonly restMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Milliseconds of each request, and of all together. */
export interface Asked {
  readonly spans: number[];
  readonly totalMs: number;
}

/**
 * Starts requests in a worker, so that asking does not slow the answering. `end` makes it stop
 * early. `asked` rejects on any response but 200.
 */
export const startAsker = (work: AskerWork): { asked: Promise<Asked>; end: () => void } => {
  const worker = new Worker(new URL('./asker.ts', import.meta.url), { workerData: work });
  const asked = new Promise<Asked>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  return { asked, end: () => worker.postMessage('end') };
};
