import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Platform } from '../../../schema/vocabulary.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';

/**
 * Expects the end of a demo of two nights, whatever its world: the leaders of each platform, the
 * lake's tables, next steps, files.
 * @returns start of its runs, Unix ms
 */
export const expectShown = (
  out: string,
  dataDir: string,
  platforms: readonly Platform[],
): unknown[] => {
  for (const platform of platforms) expect(out).toMatch(new RegExp(`Leading now:[^]*${platform} `));
  expect(out).toMatch(/In the lake:\n {2}videos +\d/);
  expect(out.match(/npm run -s trendlake -- \w+/g)).toEqual([
    ...['status', 'query', 'query', 'serve'].map((name) => `npm run -s trendlake -- ${name}`),
  ]);
  expect(existsSync(join(dataDir, 'parquet', 'manifest.json'))).toBe(true);
  const lake = openLakeForReading(dataDir);
  const nights = lake.sqlite.prepare('select started_at from runs order by id').pluck().all();
  lake.close();
  return nights;
};
