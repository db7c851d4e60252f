import { expect, test } from 'vitest';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';

test('drops a value larger than the cache, and the earlier value of its name', () => {
  const cache = new LakeCache(1000);
  const [one, other] = [cache.shelf<string>(), cache.shelf<string>()];
  one.set('list', 'short', 10);
  other.set('list', 'other', 10);
  one.set('list', 'long', 5000);
  expect([one.get('list'), other.get('list')]).toEqual([undefined, 'other']);
});

test('evicts others when a value grows', () => {
  const shelf = new LakeCache(1000).shelf<string>();
  shelf.set('a', 'first', 10);
  shelf.set('b', 'second', 10);
  shelf.set('b', 'second', 500);
  expect([shelf.get('a'), shelf.get('b')]).toEqual([undefined, 'second']);
});
