import { startChild } from './child.ts';

/** Cost of the first response of a service that was just started. */
export interface FirstResponse {
  readonly ms: number;
  /** Of the processor, all threads, while it responded. */
  readonly processorMs: number;
  /** Of the service's memory until then. */
  readonly peakMb: number;
}

/**
 * Starts the service over a lake, its clock at `at` (Unix ms), and requests one path as soon as it
 * has printed its address: it served nothing before, and its computing ahead has just begun.
 */
export const firstResponse = async (
  { dataDir, at }: { dataDir: string; at: number },
  { path, key }: { path: string; key: string },
): Promise<FirstResponse> => {
  const child = await startChild('service', dataDir, at);
  try {
    const before = child.processorMs() ?? Number.NaN;
    const from = performance.now();
    const response = await fetch(`${child.origin}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await response.arrayBuffer();
    const ms = performance.now() - from;
    if (response.status !== 200) throw new Error(`${path} got a response of ${response.status}`);
    const processorMs = (child.processorMs() ?? Number.NaN) - before;
    return { ms, processorMs, peakMb: child.memoryMb()?.peak ?? Number.NaN };
  } finally {
    await child.stop();
  }
};
