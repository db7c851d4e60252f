import { vi } from 'vitest';

/** Waits until what is expected holds. Only what hangs meets the limit: the machine may be busy. */
export const eventually = (expected: () => void): Promise<void> =>
  vi.waitFor(expected, { timeout: 120_000, interval: 1 });
