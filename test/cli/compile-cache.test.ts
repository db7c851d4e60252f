import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN } from '../support/cli-bin.ts';
import { freshFolder } from '../support/fresh.ts';
import { putEmptyLake } from '../support/test-lake.ts';

/**
 * Runs `trendlake --version` with separate cache and temporary folders; returns both, and
 * what it wrote.
 */
const started = (
  cache: string,
  options = '',
): { cache: string; temporary: string; out: string } => {
  const temporary = freshFolder();
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const out = execFileSync(process.execPath, [BIN, '--version'], {
    env: { ...env, XDG_CACHE_HOME: cache, HOME: cache, TMPDIR: temporary, NODE_OPTIONS: options },
    encoding: 'utf8',
  });
  expect(out).toMatch(/^\d+\.\d+\.\d+/);
  expect(readdirSync(temporary)).toEqual([]); // where anybody may have put code before
  return { cache, temporary, out };
};
const compiled = (cache: string): string => join(cache, 'trendlake', 'compiled');
const isFilled = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;

describe('compiled code', () => {
  test('is kept in a folder of the user alone', () => {
    const { cache } = started(freshFolder());
    expect(isFilled(compiled(cache))).toBe(true);
    expect(statSync(compiled(cache)).mode & 0o777).toBe(0o700);
  });

  test('is kept there by the process of a query as well, not in a folder within', () => {
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const [cache, dataDir] = [freshFolder(), freshFolder()];
    putEmptyLake(dataDir);
    const out = execFileSync(process.execPath, [BIN, 'query', 'select 1 as one', '--json'], {
      env: { ...env, XDG_CACHE_HOME: cache, TRENDLAKE_DATA_DIR: dataDir },
      encoding: 'utf8',
    });
    expect(out).toContain('"one"');
    const kept = readdirSync(compiled(cache), { recursive: true, withFileTypes: true });
    const folders = kept.filter((entry) => entry.isDirectory());
    expect(folders.map(({ parentPath }) => parentPath)).toEqual([compiled(cache)]);
  });

  test('is kept there by the threads of the process as well', () => {
    const thread = `require('node:fs').writeSync(1, String(require('node:module').getCompileCacheDir()))`;
    const preload = `import { Worker } from 'node:worker_threads';
      process.once('beforeExit', () => new Worker(${JSON.stringify(thread)}, { eval: true }));`;
    const { cache, out } = started(
      freshFolder(),
      `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    );
    expect(out).toContain(compiled(cache));
  });

  test.each([
    ['open to others', (folder: string) => chmodSync(folder, 0o755)],
    ['writable by others above', (folder: string) => chmodSync(join(folder, '..'), 0o777)],
  ])('is not kept in a folder that is %s', (_, open) => {
    const cache = freshFolder();
    mkdirSync(compiled(cache), { recursive: true, mode: 0o700 });
    open(compiled(cache));
    started(cache);
    expect(isFilled(compiled(cache))).toBe(false);
  });

  test('is not kept behind a symbolic link', () => {
    const cache = freshFolder();
    const elsewhere = freshFolder();
    mkdirSync(join(cache, 'trendlake'), { mode: 0o700 });
    symlinkSync(elsewhere, compiled(cache));
    started(cache);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('is kept in the folder that a link of the user points to, by its own path', () => {
    const home = freshFolder();
    const target = freshFolder();
    symlinkSync(target, join(home, 'cache'));
    const preload = `process.once('exit', () => process.stdout.write(' ' + process.env.NODE_COMPILE_CACHE))`;
    const { out } = started(
      join(home, 'cache'),
      `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    );
    expect(isFilled(compiled(target))).toBe(true);
    expect(out).toContain(` ${compiled(realpathSync(target))}`);
  });

  test('is not kept behind links that lead in a circle', () => {
    const home = freshFolder();
    symlinkSync(join(home, 'b'), join(home, 'a'));
    symlinkSync(join(home, 'a'), join(home, 'b'));
    started(join(home, 'a'));
    expect(readdirSync(home).sort()).toEqual(['a', 'b']);
  });

  test.runIf(process.getuid?.() === 0).each([
    ['the cache itself', (home: string) => join(home, 'cache')],
    ['a folder above it', (home: string) => join(home, 'cache', 'trendlake')],
  ])('is not kept behind a link of somebody else: %s', (_, linkIn) => {
    const home = freshFolder();
    const target = freshFolder();
    mkdirSync(join(home, 'cache'), { recursive: true });
    const link = linkIn(home);
    rmSync(link, { recursive: true, force: true });
    symlinkSync(target, link);
    lchownSync(link, 65_534, 65_534);
    started(join(home, 'cache'));
    expect(readdirSync(target)).toEqual([]);
  });

  test('is not kept where the folder belongs to another user or is a file', () => {
    started('/dev/null');
    started('/proc');
  });

  test('is not kept for a user whom the system gives no home', () => {
    const preload = `import os from 'node:os';
      import { syncBuiltinESMExports } from 'node:module';
      os.homedir = () => { throw new Error('uv_os_homedir returned ENOENT'); };
      syncBuiltinESMExports();`;
    started('', `--import=data:text/javascript,${encodeURIComponent(preload)}`);
  });

  test.runIf(process.getuid?.() === 0)('is not kept in a folder of somebody else', () => {
    const cache = freshFolder();
    mkdirSync(compiled(cache), { recursive: true, mode: 0o700 });
    chownSync(compiled(cache), 65_534, 65_534);
    started(cache);
    expect(isFilled(compiled(cache))).toBe(false);

    const home = freshFolder();
    chownSync(home, 65_534, 65_534); // as root with the home of the user who asked for it
    started(home);
    expect(readdirSync(home)).toEqual([]);
  });
});
