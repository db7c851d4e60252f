import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const sources = ['src', 'jobs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);

/**
 * A command in a sentence, in backticks, behind a colon or as code of a page; examples of --help
 * have their own lines.
 */
const HINT = new RegExp(
  String.raw`(?:\?\x60|: |<code>|[?.] |')trendlake (?:${COMMANDS.map(({ name }) => name).join('|')})\b(?! the| its)`,
);
const isComment = (line: string): boolean => /^\s*(?:\*|\/\/|\/\*)/.test(line);
/** Sentences of --help, and of the man page with it: the same wherever they are printed. */
const OF_HELP = /^Keys: trendlake/;

test('every command that a text names is written as it is typed where it runs', () => {
  const written = sources.flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .filter((line) => !isComment(line) && HINT.test(line) && !OF_HELP.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(written).toEqual([]);
});
