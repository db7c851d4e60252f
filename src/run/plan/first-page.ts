import type { Config } from '../../base/config/config.ts';
import type { ListRequest } from '../../upstream/request.ts';

/** Most items the interface gives on one page. */
export const PAGE_ITEMS = 100;

/** Paging of the first page of a list that is read `listItems` deep. */
export const firstPage = (
  config: Pick<Config, 'listItems'>,
): { limit: number; page: number; offset: number } => ({
  limit: Math.min(PAGE_ITEMS, config.listItems),
  page: 1,
  offset: 0,
});

/**
 * The request for the page after an answered one, or undefined when the list has ended or was read
 * deep enough. A list without a total goes on while pages are full; an empty page, which one that
 * repeats the page before counts as, ends it.
 */
export const nextPage = (
  request: ListRequest,
  response: { total: number | null; length: number; mark: string | null },
  listItems: number,
): ListRequest | undefined => {
  const seen = request.offset + response.length;
  const more = response.total === null ? response.length >= request.limit : seen < response.total;
  if (response.length === 0 || !more || seen >= listItems) return undefined;
  const { before: _, ...rest } = request;
  const before = response.mark === null ? {} : { before: response.mark };
  return { ...rest, page: request.page + 1, offset: seen, ...before };
};
