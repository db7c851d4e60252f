import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const promises = readFileSync(join(ROOT, 'docs', 'internals/promises.md'), 'utf8')
  .split(/^## /m)
  .slice(1);

test('ten promises, in their order', () => {
  const numbers = promises.map((promise) => Number(/^\d+/.exec(promise)?.[0]));
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test.each(promises)('every test that holds it exists: %s', (promise) => {
  const held = [...promise.matchAll(/^- (test\/\S+\.test\.ts): (.+)$/gm)];
  expect(held.length).toBeGreaterThan(0);
  for (const [, path = '', name = ''] of held) {
    expect({ path, exists: existsSync(join(ROOT, path)) }).toEqual({ path, exists: true });
    const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
    const code = lines.filter((line) => !/^\s*(\/\/|\*)/.test(line));
    expect({ name, found: code.some((line) => line.includes(name)) }).toEqual({
      name,
      found: true,
    });
  }
});
