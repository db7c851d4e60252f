import { expect, test } from 'vitest';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { type MadePage, PageBytes, PageCache } from '../../src/serve/cache/page-cache.ts';
import { NOW } from './filled-lake.ts';

const moment = { version: 1, at: NOW };
const waits = new AbortController().signal;
const madeOf = (text: string, version: number | null = 1): MadePage => ({
  ...{ page: new PageBytes(text), version, from: NOW, until: NOW + 10 },
});

/** A cache, and how often each page was made. */
const pages = () => {
  const cache = new PageCache(new LakeCache(1e6));
  const made: string[] = [];
  const get = async (name: string, at = moment, version: number | null = 1): Promise<string> => {
    const page = await cache.page(
      name,
      at,
      async () => {
        made.push(name);
        return madeOf(name, version);
      },
      waits,
    );
    return page.bytes(false).toString();
  };
  return { cache, made, get };
};

test('a page is made once while it is true, and anew when the lake or the time moved on', async () => {
  const { made, get } = pages();
  for (const at of [NOW, NOW + 9]) expect(await get('a', { version: 1, at })).toBe('a');
  expect(made).toEqual(['a']);
  await get('a', { version: 2, at: NOW });
  await get('a', { version: 1, at: NOW + 10 });
  expect(made).toEqual(['a', 'a', 'a']);
});

test('a page made while the lake was written to is given, not kept', async () => {
  const { made, get } = pages();
  for (const _twice of [1, 2]) await get('a', moment, null);
  expect(made).toEqual(['a', 'a']);
});

test('whoever asks for ever other pages pushes out pages alone, the oldest first', async () => {
  const { made, get } = pages();
  for (let number = 0; number < 41; number++) await get(String(number));
  made.length = 0;
  await get('40');
  await get('1');
  expect(made).toEqual([]);
  await get('0');
  expect(made).toEqual(['0']);
});

test('equal pages wanted together are made once, a third of its own is refused', async () => {
  const { cache } = pages();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let made = 0;
  const get = (name: string) =>
    cache.page(
      name,
      moment,
      async () => {
        made += 1;
        await released;
        return madeOf(name);
      },
      waits,
    );
  const wanted = [get('a'), get('b'), get('a'), get('b')];
  await expect(get('c')).rejects.toMatchObject({
    slug: 'unavailable',
    headers: { 'retry-after': '1' },
  });
  release();
  expect((await Promise.all(wanted)).map((page) => page.bytes(false).toString())).toEqual([
    ...['a', 'b', 'a', 'b'],
  ]);
  expect(made).toBe(2);
  expect((await get('c')).size).toBe(1);
});

test('a page keeps no more memory than its bytes, plain and compressed', () => {
  const page = new PageBytes('<p>'.repeat(1000));
  for (const { buffer, length } of [page.bytes(false), page.bytes(true)])
    expect(buffer.byteLength).toBe(length);
});
