import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as faults from '../../fixtures/faults.ts';
import { type Fault, startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';

const CHILD = join(import.meta.dirname, '..', 'support', 'memory-child.ts');

test.each<[string, Fault]>([
  ['a body of a hundred megabytes', faults.hundredMegabytes],
  ['a body without end', faults.endless],
  ['a gzip bomb', faults.bomb('gzip')],
  ['a brotli bomb', faults.bomb('br')],
  ['a deflate bomb', faults.bomb('deflate')],
])('%s costs less than 100 MB of memory', async (_, fault) => {
  const times = Number.POSITIVE_INFINITY;
  const upstream = await startFaultyUpstream([{ fault, on: /user1$/, times }]);
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, upstream.baseUrl]);
  await upstream.close();
  const { grownMb, stated } = JSON.parse(stdout) as { grownMb: number; stated: string[] };
  expect(stated).toHaveLength(3);
  for (const words of stated) expect(words).toMatch(/8388608 bytes/);
  expect(grownMb).toBeLessThan(100);
});
