import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withIndex } from '../../tools/generate-decisions.ts';

test('the index of decisions names every one (else: npm run docs decisions)', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/decisions.md'), 'utf8');
  expect(withIndex(page)).toBe(page);
});
