import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const DIE_AT = ['--import', join(import.meta.dirname, 'die-at-preload.ts')];

/**
 * Runs a script until it ends or comes to the step `dieAt` names (die-at-preload.ts), where it dies
 * by SIGKILL. `stepsTo` names a file for its steps.
 * @returns how it ended: `SIGKILL`, or its exit code
 */
export const runDying = async (
  script: string,
  args: readonly string[],
  { dieAt, stepsTo }: { dieAt?: string; stepsTo?: string },
): Promise<string | number | null> => {
  const child = spawn(process.execPath, [...DIE_AT, script, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...(dieAt === undefined ? {} : { DIE_AT: dieAt }),
      ...(stepsTo === undefined ? {} : { STEPS_TO: stepsTo }),
    },
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal ?? code;
};
