import type { ListAsk } from '../api/ask.ts';
import type { Config } from '../config.ts';

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
 * The ask for the page after an answered one, or undefined when the list has ended or was read
 * deep enough. A list without a total goes on while pages are full; an empty page, which one that
 * repeats the page before counts as, ends it.
 */
export const nextPage = (
  ask: ListAsk,
  answer: { total: number | null; length: number; mark: string | null },
  listItems: number,
): ListAsk | undefined => {
  const seen = ask.offset + answer.length;
  const more = answer.total === null ? answer.length >= ask.limit : seen < answer.total;
  if (answer.length === 0 || !more || seen >= listItems) return undefined;
  const { before: _, ...asked } = ask;
  const before = answer.mark === null ? {} : { before: answer.mark };
  return { ...asked, page: ask.page + 1, offset: seen, ...before };
};
