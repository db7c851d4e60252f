import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SECTIONS } from '../../fixtures/fault-cases.ts';
import { SETTINGS } from '../../src/base/config/settings.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { manPage } from '../../tools/generate-man.ts';
import { metricsPage } from '../../tools/generate-metrics.ts';
import { commandsPage, configSchema, settingsPage } from '../../tools/generate-settings.ts';

const root = join(import.meta.dirname, '..', '..');
const page = (path: string): string => readFileSync(join(root, path), 'utf8');

test('docs/reference/settings.md says what the code does (else: npm run docs settings)', () => {
  expect(page('docs/reference/settings.md')).toBe(settingsPage());
  expect(page('docs/reference/commands.md')).toBe(commandsPage());
  expect(page('trendlake.config.schema.json')).toBe(configSchema());
});

test('the name of a setting in the file is that of its variable, as the page says', () => {
  for (const [name, { env }] of Object.entries(SETTINGS)) {
    const [, snakeCase = ''] = /^TRENDLAKE_(\w+)$/.exec(env) ?? [];
    const words = snakeCase.toLowerCase();
    expect(name).toBe(words.replace(/_(.)/g, (_, first: string) => first.toUpperCase()));
  }
});

test('the manual page has every command, option and setting', async () => {
  const page = (await manPage()).replaceAll('\\-', '-');
  const missing = [
    ...COMMANDS.map(({ name }) => `.SS ${name} `),
    ...Object.values(SETTINGS).map(({ env }) => `.B ${env}\n`),
    '--vertical',
    '--use-case <text>',
    '--data-dir <folder>',
  ].filter((text) => !page.includes(text));
  expect(missing).toEqual([]);
});

test('docs/troubleshooting.md has every kind of fault that the catalogue holds', () => {
  const text = page('docs/troubleshooting.md');
  const titles = [...SECTIONS.map(({ title }) => title), 'Redirects'];
  expect(titles.filter((title) => !text.includes(`- **${title}**: `))).toEqual([]);
});

test('docs/reference/metrics.md says what the code does (else: npm run docs metrics)', async () => {
  expect(page('docs/reference/metrics.md')).toBe(await metricsPage());
});
