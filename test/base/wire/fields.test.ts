import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../../src/base/json-object.ts';
import {
  extraOf,
  type Odd,
  parseJson,
  readCount,
  readId,
  readInstant,
  readPlatform,
  readRate,
  readTags,
  readText,
  shortly,
} from '../../../src/base/wire/fields.ts';

const MAX = Number.MAX_SAFE_INTEGER;

describe('counts', () => {
  test.each([
    [0, 0],
    [MAX, MAX],
    ['12', 12],
    [' 12 ', 12],
    ['12.0', 12],
    [String(MAX), MAX],
    [null, null],
    [undefined, null],
  ])('%j is %j', (value, expected) => {
    const odd: Odd = [];
    expect(readCount(value, 'views', odd)).toBe(expected);
    expect(odd).toEqual([]);
  });

  test.each([
    -1,
    1.5,
    MAX + 1,
    Number.POSITIVE_INFINITY,
    'NaN',
    '1e3',
    '1,000',
    '1.2M',
    '',
    '-0.5',
    '9007199254740993',
    '9007199254740991.4',
    '1.00000000000000000001',
    true,
    [],
    {},
    [5],
  ])('%j cannot be right: null, and the original is kept', (value) => {
    const odd: Odd = [];
    expect(readCount(value, 'views', odd)).toBeNull();
    expect(odd).toEqual([['views', value]]);
  });

  test('property: what is read is the number that was written, or null', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.string(), fc.bigInt()), (value) => {
        const given = typeof value === 'bigint' ? String(value) : value;
        const count = readCount(given, 'views', []);
        return count === null || (count >= 0 && count <= MAX && Number(given) === count);
      }),
    );
  });
});

describe('instants', () => {
  const at = Date.UTC(2026, 2, 1, 12);
  test.each([
    ['2026-03-01T12:00:00Z', at],
    ['2026-03-01T13:00:00+01:00', at],
    ['2026-03-01 12:00', at],
    [at, at],
    [at / 1000, at],
    [String(at), at],
    [String(at / 1000), at],
    [at / 1000 + 0.5, at + 500],
  ])('%j', (value, expected) => expect(readInstant(value, 'at', [])).toBe(expected));

  test.each([
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    'yesterday',
    '',
    -1,
    1e18,
    true,
    Number.NaN,
    '0050-01-01',
    '2026-01-01T25:00:00Z',
  ])('refuses the instant %j', (value) => {
    const odd: Odd = [];
    expect(readInstant(value, 'at', odd)).toBeNull();
    expect(odd).toHaveLength(1);
  });
});

test('rates are finite and not negative; text is made whole; lists of texts are all texts', () => {
  expect(readRate('4.2', 'engagementRate', [])).toBe(4.2);
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, 'NaN', '5%'])
    expect(readRate(value, 'engagementRate', [])).toBeNull();
  expect(readText('a\ud800b', 'title', [])).toBe('a\ufffdb');
  expect(readText(7, 'title', [])).toBeNull();
  expect(readTags(['a', 'b'], 'hashtags', [])).toEqual(['a', 'b']);
  expect(readTags(['a', 1], 'hashtags', [])).toBeNull();
});

test('ids have 1 to 128 characters', () => {
  expect(readId('x'.repeat(128))).toBe('x'.repeat(128));
  for (const value of ['', 'x'.repeat(129), 'x'.repeat(10_240), 5, null, 'a\ud800'])
    expect(readId(value)).toBeUndefined();
});

describe('platforms', () => {
  test('come from the field, else from the prefix', () => {
    expect(readPlatform('tiktok', '123')).toEqual({ platform: 'tiktok' });
    expect(readPlatform(undefined, 'yt_a_b-c')).toEqual({ platform: 'youtube' });
    expect(readPlatform(null, 'ig_1')).toEqual({ platform: 'instagram' });
  });
  test.each([
    ['youtube', 'tt_1', 'platform youtube by its field, tiktok by its id'],
    ['vimeo', 'tt_1', 'unknown platform "vimeo"'],
    [undefined, 'vm_1', 'no platform, and none in the id'],
    [{}, 'tt_1', 'unknown platform (an object without fields)'],
    ['ann lives in Ulm', 'tt_1', 'unknown platform (text of 16 characters)'],
  ])('%j on %s: %s', (value, id, problem) => expect(readPlatform(value, id)).toEqual({ problem }));
});

describe('further fields', () => {
  test('a field named __proto__ is a field like any other', () => {
    const item = JSON.parse('{"id":"tt_1","__proto__":{"isAdmin":true},"constructor":1}');
    const extra = extraOf(item, new Set(['id']), []);
    expect(JSON.stringify(extra)).toBe('{"__proto__":{"isAdmin":true},"constructor":1}');
    expect(({} as { isAdmin?: true }).isAdmin).toBeUndefined();
  });
  test('odd originals stand under odd; nothing further is null', () => {
    expect(extraOf({ a: 1 }, new Set(['a']), [['views', -1]])).toEqual({ odd: { views: -1 } });
    expect(extraOf({ a: 1 }, new Set(['a']), [])).toBeNull();
    expect(extraOf({ odd: 'theirs' }, new Set(), [])).toEqual({ odd: 'theirs' });
    expect(extraOf({ odd: 'theirs' }, new Set(), [['views', -1]])).toEqual({
      odd: { odd: 'theirs', views: -1 },
    });
  });
  test('a field nested deeper than a database can read says so instead', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const extra = extraOf({ deep }, new Set(), [['views', deep]]);
    expect(JSON.stringify(extra)).toMatch(/nested deeper than \d+ levels/);
    expect(shortly(deep, 80)).toMatch(/nested deeper/);
  });
});

test('numbers a double cannot hold stay as the text they were', () => {
  expect(parseJson('{"views":9007199254740993,"likes": [1e400, -12345678901234567890]}')).toEqual({
    views: '9007199254740993',
    likes: ['1e400', '-12345678901234567890'],
  });
  expect(parseJson('{"id":"tt_7240348510065823002","views":9007199254740991}')).toEqual({
    id: 'tt_7240348510065823002',
    views: MAX,
  });
});

test('property: whatever digits, point and exponent a number has, it is read exactly or stays text', () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,25})$/);
  const fraction = fc.constantFrom('', '.5', '.0', '.3333333333333333', `.${'0'.repeat(20)}1`);
  const exponent = fc.constantFrom('', 'e0', 'E5', 'e+16', 'e400', 'e-3', 'E-20', 'e-400');
  fc.assert(
    fc.property(fc.constantFrom('', '-'), digits, fraction, exponent, (...parts) => {
      const text = parts.join('');
      const number = Number(text);
      const fits =
        Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
      expect(parseJson(`{"views":${text},"all":[${text}, ${text}]}`)).toEqual({
        views: fits ? number : text,
        all: fits ? [number, number] : [text, text],
      });
    }),
  );
});

test('an object is neither null nor a list', () => {
  expect([{}, null, [], 'x'].map(isObject)).toEqual([true, false, false, false]);
});
