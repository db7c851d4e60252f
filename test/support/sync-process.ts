import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { STAGE_FD, type Stage } from './stages.ts';

const CHILD = join(import.meta.dirname, 'sync-child.ts');

/** When to kill a process: so long after it has come to a stage for the n-th time. */
export interface Aim {
  stage: Stage;
  nth: number;
  delayMs: number;
}

/** End of a process, and its last stage. */
export interface Ended {
  killed: boolean;
  code: number | null;
  stage: Stage | undefined;
}

/**
 * Syncs and exports in a separate process (sync-child.ts), which dies by SIGKILL as `aim` says or
 * at the n-th time it reaches the named `point` by itself; without either it finishes.
 */
export const syncInProcess = async (
  dataDir: string,
  baseUrl: string,
  { aim, point = '', n = 1 }: { aim?: Aim; point?: string; n?: number } = {},
): Promise<Ended> => {
  const child = spawn(process.execPath, [CHILD, dataDir, baseUrl, point, `${n}`], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let stage: Stage | undefined;
  let left = aim?.nth ?? 0;
  let timer: NodeJS.Timeout | undefined;
  (child.stdio[STAGE_FD] as Readable).on('data', (letters: Buffer) => {
    for (const letter of letters.toString('latin1')) {
      stage = letter as Stage;
      if (stage !== aim?.stage) continue;
      left -= 1;
      if (left === 0) timer = setTimeout(() => child.kill('SIGKILL'), aim.delayMs);
    }
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return { killed: signal === 'SIGKILL', code, stage };
};
