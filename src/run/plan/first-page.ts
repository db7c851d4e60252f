import type { Config } from '../../base/config/config.ts';
import type { ListRequest } from '../../upstream/request.ts';

/** Page size limit of the interface. */
export const PAGE_ITEMS = 100;

export const firstPage = (
  config: Pick<Config, 'listItems'>,
): { limit: number; page: number; offset: number } => ({
  limit: Math.min(PAGE_ITEMS, config.listItems),
  page: 1,
  offset: 0,
});

/**
 * Request for the next page; undefined at the end of the list or after `listItems` items. A list
 * without a total continues while pages are full. An empty page ends it, and so does a repeated
 * page, which counts as empty.
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
