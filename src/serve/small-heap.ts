import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap of this process near what it holds, for a process that does nothing but serve: the
 * space for new objects stays at its first size. Left alone, V8 lets it grow to where a service
 * whose live objects take 40 MB has 330 MB. Costs nothing that could be measured.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1');
