import { type PageConfig, pageItems } from '../../base/config/upstream-settings.ts';
import type { ListRequest } from '../../upstream/request.ts';

/** Paging of the first page of a list that is read `listItems` deep. */
export const firstPage = (config: PageConfig): { limit: number; page: number; offset: number } => ({
  limit: pageItems(config),
  page: 1,
  offset: 0,
});

/**
 * The request for the page after a response, or undefined at the end of the list or if it was read
 * deep enough. A list without a total or cursor goes on while pages are full. An empty page ends it; a
 * page that repeats the one before counts as empty.
 */
export const nextPage = (
  request: ListRequest,
  response: {
    pageable: number | null;
    length: number;
    mark: string | null;
    next?: string | null;
  },
  listItems: number,
): ListRequest | undefined => {
  const { pageable, length, mark, next: cursor } = response;
  const seen = request.offset + length;
  const more =
    pageable !== null ? seen < pageable : cursor !== undefined || length >= request.limit;
  if (cursor === null || length === 0 || !more || seen >= listItems) return undefined;
  const { before: _, cursor: __, ...rest } = request;
  return {
    ...rest,
    page: request.page + 1,
    offset: seen,
    ...(mark === null ? {} : { before: mark }),
    ...(cursor === undefined ? {} : { cursor }),
  };
};
