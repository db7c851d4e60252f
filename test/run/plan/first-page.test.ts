import { expect, test } from 'vitest';
import { firstPage, nextPage } from '../../../src/run/plan/first-page.ts';
import type { ListRequest } from '../../../src/upstream/request.ts';

const request = (page: number, offset: number): ListRequest => ({
  kind: 'hashtags',
  dateRange: '30d',
  limit: 100,
  page,
  offset,
});

test('limits a first page to the wanted items and the page size', () => {
  expect([1, 100, 250].map((listItems) => firstPage({ listItems }).limit)).toEqual([1, 100, 100]);
});

test.each([
  ['more by its total', { pageable: 250, length: 100 }, 1000, 2],
  ['the last by its total', { pageable: 100, length: 100 }, 1000, undefined],
  ['deep enough', { pageable: 250, length: 100 }, 100, undefined],
  ['full, no total', { pageable: null, length: 100 }, 1000, 2],
  ['short, no total', { pageable: null, length: 99 }, 1000, undefined],
  ['empty, whatever its total says', { pageable: 1_000_000, length: 0 }, 1000, undefined],
  ['short, but its total says more', { pageable: 250, length: 40 }, 1000, 2],
])('%s', (_, response, listItems, page) => {
  const next = nextPage(request(1, 0), { mark: null, ...response }, listItems);
  expect(next?.page).toBe(page);
  if (next !== undefined) expect(next.offset).toBe(response.length);
});
