import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, from four seconds on; the list need not be exact. */
const LONGEST = [
  'serve/every-page',
  'sandbox/sandbox',
  'serve/browser',
  'kills/random',
  'publish/s3-store',
  'export/export-lake',
  'sandbox/world',
  'runner/machine',
  'forecast/lake',
  'cli/status',
  'cli/log',
  'load/import',
  'forecast/learn',
  'serve/query-page',
  'demo/demo',
  'cli/query',
  'throttle/ledger',
  'forecast/bad-input',
].map((name) => `test/${name}.test.ts`);

/**
 * Starts the longest files first, so that no worker is left alone with one at the end. vitest goes by how
 * long files took the last time, which it does not know in a fresh clone.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
