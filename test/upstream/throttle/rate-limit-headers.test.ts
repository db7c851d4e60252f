import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limitWords, resetMs } from '../../../src/upstream/throttle/rate-limit-headers.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const DAY = 86_400_000;
const read = (headers: Record<string, string>) =>
  limitWords(headers, NOW).map(({ windowMs, quota, remaining, resetsInMs }) => [
    windowMs,
    quota,
    remaining,
    resetsInMs,
  ]);

describe('what a header says of limits', () => {
  test.each([
    [
      'the current draft, several policies',
      {
        'ratelimit-policy': '"minute";q=60;w=60, "month";q=50000;w=2678400',
        ratelimit: '"minute";r=59;t=60, "month";r=49999;t=1000000',
      },
      [
        [60_000, 60, 59, 60_000],
        [31 * DAY, 50_000, 49_999, 1e9],
      ],
    ],
    [
      'a policy with a comma and quotes in its name',
      { ratelimit: '"a, \\"b\\"";r=3;t=4' },
      [[null, null, 3, 4000]],
    ],
    [
      'a policy without a window, named after one',
      { ratelimit: 'day;r=3' },
      [[DAY, null, 3, null]],
    ],
    [
      'a policy with a name that every object has something under',
      { ratelimit: 'constructor;r=3, "__proto__";r=4' },
      [
        [null, null, 3, null],
        [null, null, 4, null],
      ],
    ],
    [
      'a family of such a name',
      { 'x-ratelimit-constructor-limit': '9', 'x-ratelimit-constructor-remaining': '5' },
      [[null, 9, 5, null]],
    ],
    [
      'draft 7, one dictionary',
      { ratelimit: 'limit=100, remaining=50, reset=5', 'ratelimit-policy': '100;w=60' },
      [[60_000, 100, 50, 5000]],
    ],
    [
      'earlier drafts, three fields',
      { 'ratelimit-limit': '100, 100;w=10', 'ratelimit-remaining': '50', 'ratelimit-reset': '7' },
      [[10_000, 100, 50, 7000]],
    ],
    [
      'X- fields with lists in step',
      {
        'x-ratelimit-limit': '1, 15000',
        'x-ratelimit-policy': '1;w=1, 15000;w=2592000',
        'x-ratelimit-remaining': '0, 14523',
        'x-ratelimit-reset': '1, 1419704',
      },
      [
        [1000, 1, 0, 1000],
        [30 * DAY, 15_000, 14_523, 1_419_704_000],
      ],
    ],
    [
      'X- fields named by their window, either way round',
      {
        'x-ratelimit-limit-month': '500',
        'x-ratelimit-remaining-month': '7',
        'x-ratelimit-minute-remaining': '2',
      },
      [
        [30 * DAY, 500, 7, null],
        [60_000, null, 2, null],
      ],
    ],
    [
      'X-Quota, its reset a date beside a Date of another clock',
      {
        date: 'Thu, 01 Jan 2099 00:00:00 GMT',
        'x-quota-limit': '500',
        'x-quota-remaining': '12',
        'x-quota-reset': 'Thu, 01 Jan 2099 01:00:00 GMT',
      },
      [[null, 500, 12, 3_600_000]],
    ],
    [
      'nothing that can be read',
      { ratelimit: 'plenty', 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': 'some' },
      [[null, 5, null, null]],
    ],
    [
      'parts of calls and of milliseconds',
      {
        'x-ratelimit-limit': '60.5',
        'x-ratelimit-remaining': '7.5',
        'x-ratelimit-reset': `${NOW / 1000 + 90}.0001`,
        ratelimit: 'month;r=8.9;t=4.0001',
      },
      [
        [30 * DAY, null, 8, 4001],
        [null, 60, 7, 90_001],
      ],
    ],
    ['nothing at all', { 'content-type': 'application/json' }, []],
  ])('%s', (_, headers, expected) => {
    expect(read(headers as Record<string, string>)).toEqual(expected);
  });

  test.each([
    ['30', 30_000],
    ['0', 0],
    [String(NOW / 1000 + 90), 90_000],
    [String(NOW + 90_000), 90_000],
    ['2026-01-15T12:01:30Z', 90_000],
    ['Thu, 15 Jan 2026 12:01:30 GMT', 90_000],
    ['999999999', null],
    ['-5', null],
    ['1e3', null],
    ['soon', null],
    [undefined, null],
  ])('a reset of %s is in %s ms', (text, expected) => {
    expect(resetMs(text, NOW)).toBe(expected);
  });

  test('no text whatsoever throws, and numbers are whole and never negative', () => {
    const names = fc.constantFrom(
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'x-ratelimit-limit',
      'x-quota-left',
      'date',
    );
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^["a-z]{0,3};?[rqwt]?=?[-0-9.,;="]{0,12}$/),
    );
    fc.assert(
      fc.property(fc.dictionary(names, text), (headers) => {
        for (const { remaining, quota, resetsInMs, windowMs } of limitWords(headers, NOW))
          for (const value of [remaining, quota, resetsInMs, windowMs])
            expect(Math.floor(value ?? 0)).toBe(Math.abs(value ?? 0));
      }),
    );
  });
});
