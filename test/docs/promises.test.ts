import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROMISED_TESTS } from './promised-tests.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const promises = readFileSync(join(ROOT, 'docs', 'internals/promises.md'), 'utf8')
  .split(/^## /m)
  .slice(1);

test('ten promises, in their order', () => {
  const numbers = promises.map((promise) => Number(/^\d+/.exec(promise)?.[0]));
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(PROMISED_TESTS).toHaveLength(10);
});

test.each(promises)('its tests exist: %s', (promise) => {
  const tests = PROMISED_TESTS[Number.parseInt(promise, 10) - 1] ?? [];
  expect(tests.length).toBeGreaterThan(0);
  for (const [path, name] of tests) {
    const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
    const code = lines.filter((line) => !/^\s*(\/\/|\*)/.test(line));
    expect({ name, found: code.some((line) => line.includes(name)) }).toEqual({
      name,
      found: true,
    });
  }
});
