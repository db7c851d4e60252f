import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { faultsPage } from '../../tools/generate-faults.ts';
import { manPage } from '../../tools/generate-man.ts';
import { metricsPage } from '../../tools/generate-metrics.ts';
import { settingsPage } from '../../tools/generate-settings.ts';

const root = join(import.meta.dirname, '..', '..');
const page = (path: string): string => readFileSync(join(root, path), 'utf8');

test('docs/settings.md says what the code does (else: npm run docs settings)', () => {
  expect(page('docs/settings.md')).toBe(settingsPage());
});

test('the manual page has every command, option and setting', async () => {
  const page = (await manPage()).replaceAll('\\-', '-');
  const missing = [
    ...COMMANDS.map(({ name }) => `.SS ${name} `),
    ...Object.values(SETTINGS).map(({ env }) => `.B ${env}\n`),
    ...['--vertical', '--use-case <text>', '--data-dir <folder>'],
  ].filter((text) => !page.includes(text));
  expect(missing).toEqual([]);
});

test('docs/faults.md says what the tests hold (else: npm run docs faults)', () => {
  expect(page('docs/faults.md')).toBe(faultsPage());
});

test('docs/metrics.md says what the code does (else: npm run docs metrics)', async () => {
  expect(page('docs/metrics.md')).toBe(await metricsPage());
});
