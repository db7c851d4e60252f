import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const script = async (shell: string): Promise<string> =>
  (await runCommand(['completion', shell], { dataDir: freshFolder() })).out;

/** Completions that bash offers for the last of these words. */
const offered = (path: string, words: readonly string[]): string[] =>
  execFileSync('bash', [
    '--norc',
    '-c',
    `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trendlake; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    path,
    ...words,
  ])
    .toString()
    .trim()
    .split('\n');

test('bash offers commands, those below them, and options', async () => {
  const path = join(freshFolder(), 'trendlake.bash');
  writeFileSync(path, await script('bash'));
  expect(offered(path, ['trendlake', 's'])).toEqual(
    expect.arrayContaining(['sync', 'schedule', 'status', 'search', 'serve', 'sandbox']),
  );
  expect(offered(path, ['trendlake', 'query', '--v'])).toEqual(['--vertical', '--verbose']);
  expect(offered(path, ['trendlake', 'keys', 'c'])).toEqual(['create']);
  expect(offered(path, ['trendlake', 'keys', 'create', '--use'])).toEqual(['--use-case']);
});

test.each(['bash', 'zsh', 'fish'])('%s has every command and its options', async (shell) => {
  const text = await script(shell);
  expect(COMMANDS.filter(({ name }) => !text.includes(name))).toEqual([]);
  expect(text).toMatch(/timeout/);
  expect(text).toMatch(/data-dir/);
});

test('another shell is refused with the nearest one', async () => {
  const { code, err } = await runCommand(['completion', 'fihs'], { dataDir: freshFolder() });
  expect([code, err]).toEqual([2, expect.stringMatching(/Did you mean fish\?/)]);
  for (const shell of ['constructor', '__proto__'])
    expect(await runCommand(['completion', shell], { dataDir: freshFolder() })).toMatchObject({
      code: 2,
      err: expect.stringContaining(`No completion exists for ${shell}`),
    });
});
