import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, from two seconds on; the list need not be exact. */
const LONGEST = [
  'lake/former-lake',
  'run/maintenance/packed-backup',
  'sandbox/world/sandbox',
  'ingest/writers/import',
  'learn/forecast/lake',
  'output/parquet/export-lake',
  'cli/commands/query',
  'run/run/machine',
  'alerts/webhooks/sender',
  'lake/search/search',
  'output/delta/upkeep',
  'learn/model/learn',
  'serve/early-responses',
  'faults/memory',
  'learn/forecast/volumes',
  'examples/examples',
  'run/run/keys',
  'cli/context/log',
  'sandbox/world/world',
  'output/delta/s3-store',
].map((name) => `test/${name}.test.ts`);

/**
 * Starts the longest files first, so that no worker is left alone with one at the end. vitest uses
 * the times of the last run, which it does not know in a fresh clone.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const gone = LONGEST.filter((path) => !existsSync(join(root, path)));
    if (gone.length > 0)
      throw new Error(
        `test/support/longest-first.ts names ${gone.join(', ')}, which is not there. Give it its new name, or take it out.`,
      );
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.indexOf(relative(root, moduleId));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
