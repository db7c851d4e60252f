import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const path = join(import.meta.dirname, '..', '..', 'shared', 'data', 'real');

/** Folder of real observations, where the machine has one; tests that need it skip without. */
export const realPath = existsSync(join(path, 'videos.ndjson.gz')) ? path : undefined;

/** The lines of one file of it, parsed, one at a time. */
export function* realLines(file: string): Generator<Record<string, unknown>> {
  const text = gunzipSync(readFileSync(join(path, file))).toString('utf8');
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? text.length : end);
    if (line !== '') yield JSON.parse(line) as Record<string, unknown>;
    start = end < 0 ? text.length : end + 1;
  }
}
