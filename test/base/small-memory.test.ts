import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { ALLOCATOR, HEAP } from '../../src/base/small-memory.ts';
import { BIN } from '../support/cli-bin.ts';
import { freshFolder } from '../support/fresh.ts';

/** The environment of the tests, where nobody says anything of the allocator. */
const withoutAllocator = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('MALLOC_')),
);

/** Starts `serve` in a child process. Resolves with its first line when it listens. */
const served = async (env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string }> => {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json'], {
    env: { ...withoutAllocator, TRENDLAKE_DATA_DIR: freshFolder(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, url: (JSON.parse(line.toString()) as { url: string }).url };
};

/** The environment a running process began with, `NAME=value`. */
const environmentOf = ({ pid }: ChildProcess): string[] =>
  readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter((line) => line.startsWith('MALLOC_'));

/** The options of Node and V8 that a running process was started with. */
const optionsOf = ({ pid }: ChildProcess): string[] =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .filter((word) => /^--(max-semi|semi|heap)/.test(word));

test.runIf(process.platform === 'linux')(
  'serve starts again in its own process with allocator and V8 told, listens and stops like any other',
  async () => {
    const { child, url } = await served({});
    expect(environmentOf(child).toSorted()).toEqual(
      Object.entries(ALLOCATOR)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    );
    expect(optionsOf(child)).toEqual(HEAP);
    expect((await fetch(new URL('/health', url))).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test.runIf(process.platform === 'linux')(
  'schedule starts again in its own process as serve does, and stops like any other',
  async () => {
    const child = spawn(process.execPath, [BIN, 'schedule', '--sandbox'], {
      env: { ...withoutAllocator, TRENDLAKE_DATA_DIR: freshFolder() },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stderr, 'data');
    expect(environmentOf(child)).toHaveLength(Object.keys(ALLOCATOR).length);
    expect(optionsOf(child)).toEqual(HEAP);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test.runIf(process.platform === 'linux')(
  'what the operator says of the allocator stands',
  async () => {
    const { child } = await served({ MALLOC_ARENA_MAX: '1' });
    expect(environmentOf(child)).toEqual(['MALLOC_ARENA_MAX=1']);
  },
);
