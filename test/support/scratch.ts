import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryFolder } from './in-memory-folder.ts';

// Before the suite: one folder for the files of the tests and of everything they start, killed
// processes among them. In memory if there is some: hundreds of small lakes would wait for the
// disk's fsync otherwise. After the suite it is gone. The settings and the proxy of the person who
// tests do not apply.

const OF_WHO_TESTS = /^trendlake_|_proxy$/i;

export default (): (() => void) => {
  for (const name of Object.keys(process.env))
    if (OF_WHO_TESTS.test(name)) delete process.env[name];
  const folder = mkdtempSync(join(inMemoryFolder() ?? tmpdir(), 'trendlake-suite-'));
  process.env.TMPDIR = folder;
  process.env.XDG_CACHE_HOME = join(folder, 'cache'); // of compiled code: none in the home of who tests
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled'); // shared by all threads and child processes
  // again where a worker that is ending put something aside meanwhile (ENOTEMPTY)
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', remove); // the workers put their compiled code aside as they end, after the teardown
  return remove;
};
