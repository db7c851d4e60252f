import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BIN } from '../support/cli-bin.ts';
import { freshFolder } from '../support/fresh.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/start.md'), 'utf8');
/** Commands of the tutorial that end by themselves and need no key, on one lake. */
const commands = [
  ...page.matchAll(/^```sh\n(trendlake (?:plan|sync|query|report)\b.*)\n```$/gm),
].map(([, command = '']) => command.replace(' --data-dir demo', ''));

test('the tutorial leads from a first sync to a report, without a key', async () => {
  expect(commands.map((command) => command.split(' ')[1])).toEqual([
    'plan',
    'sync',
    'query',
    'report',
  ]);
  const folder = freshFolder();
  mkdirSync(join(folder, 'bin'));
  const program = join(folder, 'bin', 'trendlake');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = {
    PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH ?? ''}`,
    HOME: folder,
    TRENDLAKE_LIST_ITEMS: '50',
    TRENDLAKE_GROWTH_CALLS: '2',
    TRENDLAKE_CREATOR_CALLS: '1',
  };
  const printed: string[] = [];
  for (const command of commands.filter((line) => !line.includes(' plan'))) {
    const { stdout } = await promisify(execFile)('sh', ['-ec', command], { cwd: folder, env });
    printed.push(stdout);
  }
  expect(printed[1]).toContain('| rank |');
  expect(existsSync(join(folder, 'data', 'parquet', 'manifest.json'))).toBe(true);
  expect(readdirSync(folder).filter((name) => /^report-.+\.html$/.test(name))).toHaveLength(1);
});
