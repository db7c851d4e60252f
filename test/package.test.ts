import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const packed = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  private?: boolean;
  files: string[];
  scripts: Record<string, string>;
};

test('the package is not published by mistake', () => {
  expect(packed.private).toBe(true);
});

test('the package ships the versions it was tested with', () => {
  expect(packed.files).toContain('npm-shrinkwrap.json');
  expect(packed.scripts.prepack).toContain('tools/write-shrinkwrap.ts');
});

test.each(['trendlake.config.json', 'npm-shrinkwrap.json', 'data/service.db'])(
  '%s is not committed',
  (path) => {
    const ignored = execFileSync('git', ['check-ignore', '--no-index', path], { cwd: root });
    expect(ignored.toString().trim()).toBe(path);
  },
);
