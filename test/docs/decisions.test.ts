import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../docs/internals/decisions.md'), 'utf8');
const decisions = page
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const text = lines.join('\n').split(/^## /m)[0] ?? '';
    return { title, words: text.split(/\s+/).filter((word) => word !== '').length };
  });

test('every decision has at most 150 words', () => {
  expect(decisions.length).toBeGreaterThan(20);
  expect(decisions.filter(({ words }) => words > 150 || words < 15)).toEqual([]);
});

test('every decision has a unique title', () => {
  const titles = decisions.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});
