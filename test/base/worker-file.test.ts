import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { workerFile } from '../../src/base/worker-file.ts';

const source = join(import.meta.dirname, '..', '..', 'src');

test('a thread’s file is the source of a source, the built file of a built one', () => {
  expect(workerFile('file:///x/src/a/b.ts', 'c-worker').href).toBe('file:///x/src/a/c-worker.ts');
  expect(workerFile('file:///x/dist/src/a/b.js', 'c-worker').href).toBe(
    'file:///x/dist/src/a/c-worker.js',
  );
});

test('every thread that is started has its file', () => {
  const started = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const path = join(source, name);
      const names = readFileSync(path, 'utf8').matchAll(
        /workerFile\(import\.meta\.url, '([^']+)'/g,
      );
      return [...names].map(([, worker = '']) => workerFile(pathToFileURL(path).href, worker));
    });
  expect(started.length).toBeGreaterThan(1);
  expect(started.filter((url) => !existsSync(url))).toEqual([]);
});
