import { expect, test } from 'vitest';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';

test('what is larger than the whole cache is not held, nor what was there under its name', () => {
  const cache = new LakeCache(1000);
  const [one, other] = [cache.shelf<string>(), cache.shelf<string>()];
  one.set('list', 'short', 10);
  other.set('list', 'other', 10);
  one.set('list', 'long', 5000);
  expect([one.get('list'), other.get('list')]).toEqual([undefined, 'other']);
});
