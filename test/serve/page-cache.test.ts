import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { PageBytes, PageCache, type ValidPage } from '../../src/serve/cache/page-cache.ts';
import { NOW } from './filled-lake.ts';

const moment = { version: 1, at: NOW };
const waits = { owner: 'one', gone: new AbortController().signal };
const madeOf = (text: string, version: number | null = 1): ValidPage => ({
  page: new PageBytes(text),
  version,
  from: NOW,
  until: NOW + 10,
});

/** A cache, and how often each page was made. */
const pages = () => {
  const cache = new PageCache(new LakeCache(1e6), systemClock);
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
    return page.bytes(null).toString();
  };
  return { cache, made, get };
};

test('a page is computed once while it is valid, and again after a change of the lake or the time', async () => {
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

/** Two pages under way, `a` and `b`, until released. */
const busy = () => {
  const { cache, made } = pages();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const get = async (name: string, asker = waits): Promise<string> => {
    const make = async (): Promise<ValidPage> => {
      made.push(name);
      await released;
      return madeOf(name);
    };
    return (await cache.page(name, moment, make, asker)).bytes(null).toString();
  };
  return { made, release, get, wanted: [get('a'), get('b')] };
};

test('equal pages wanted together are made once; six others wait, a seventh is refused', async () => {
  const { made, release, get, wanted } = busy();
  wanted.push(get('a'), get('b'), ...['c', 'd', 'e', 'f', 'g', 'h'].map((name) => get(name)));
  await expect(get('i')).rejects.toMatchObject({
    slug: 'unavailable',
    headers: { 'retry-after': '5' },
  });
  expect(made).toEqual(['a', 'b']);
  release();
  expect((await Promise.all(wanted)).join('')).toBe('ababcdefgh');
  expect(made.join('')).toBe('abcdefgh');
  expect(await get('i')).toBe('i');
});

test('who has many pages waiting waits for them, not the others', async () => {
  const { made, release, get, wanted } = busy();
  wanted.push(...['c', 'd', 'e'].map((name) => get(name)), get('x', { ...waits, owner: 'two' }));
  release();
  await Promise.all(wanted);
  expect(made.join('')).toBe('abcxde');
});

test('a page that nobody waits for any more when its turn comes is not made', async () => {
  const { made, release, get, wanted } = busy();
  const leaving = new AbortController();
  const left = get('c', { ...waits, gone: leaving.signal });
  leaving.abort();
  release();
  await expect(left).rejects.toThrow('client closed');
  await Promise.all([...wanted, get('d')]);
  expect(made.join('')).toBe('abd');
});

test('a page whose first client left while it waited is made for the client that joined it', async () => {
  const { made, release, get, wanted } = busy();
  const leaving = new AbortController();
  const left = get('c', { ...waits, gone: leaving.signal });
  leaving.abort();
  const joined = get('c');
  release();
  await expect(left).rejects.toThrow('client closed');
  expect(await joined).toBe('c');
  await Promise.all(wanted);
  expect(made.join('')).toBe('abc');
});

test('pages that nobody waits for any more leave room for others', async () => {
  const { release, get, wanted } = busy();
  const leaving = new AbortController();
  const left = ['c', 'd', 'e', 'f', 'g', 'h'].map((name) =>
    get(name, { ...waits, gone: leaving.signal }).catch(() => 'left'),
  );
  leaving.abort();
  await Promise.all(left);
  const others = ['i', 'j'].map((name) => get(name));
  release();
  expect(await Promise.all([...wanted, ...others])).toEqual(['a', 'b', 'i', 'j']);
});

test('pages that wait for nothing let other work in between them', async () => {
  const { cache } = pages();
  const order: string[] = [];
  const get = (name: string) =>
    cache.inTurn(async () => void order.push(name), { ...waits, owner: name });
  setImmediate(() => void order.push('other work'));
  await Promise.all(['a', 'b', 'c', 'd'].map(get));
  expect(order).toEqual(['a', 'b', 'other work', 'c', 'd']);
});

test('a page keeps no more memory than its bytes, plain and compressed', () => {
  const page = new PageBytes('<p>'.repeat(1000));
  for (const { buffer, length } of [page.bytes(null), page.bytes('gzip'), page.bytes('zstd')])
    expect(buffer.byteLength).toBe(length);
});
