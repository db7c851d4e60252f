import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsPage } from '../../tools/generate-faults.ts';
import { metricsPage } from '../../tools/generate-metrics.ts';
import { settingsPage } from '../../tools/generate-settings.ts';

const root = join(import.meta.dirname, '..', '..');
const page = (path: string): string => readFileSync(join(root, path), 'utf8');

test('docs/settings.md says what the code does (else: npm run docs:settings)', () => {
  expect(page('docs/settings.md')).toBe(settingsPage());
});

test('docs/faults.md says what the tests hold (else: npm run docs:faults)', () => {
  expect(page('docs/faults.md')).toBe(faultsPage());
});

test('docs/metrics.md says what the code does (else: npm run docs:metrics)', async () => {
  expect(page('docs/metrics.md')).toBe(await metricsPage());
});
