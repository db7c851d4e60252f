import { createHash } from 'node:crypto';
import type { Drift } from '../errors.ts';
import type { Rejection } from './decode-items.ts';

/** A page of a list, as far as it is told from others. */
interface ReceivedPage {
  length: number;
  /** Which items it holds, in short; null where none could be read. */
  mark: string | null;
  items: unknown[];
  rejected: Rejection[];
  drift: Drift[];
}

/** Items of a page in short, by their names and in any order: a service may rank them anew meanwhile. */
export const markOf = (names: readonly string[]): string | null =>
  names.length === 0
    ? null
    : createHash('sha256').update(JSON.stringify(names.toSorted())).digest('hex').slice(0, 16);

/**
 * A page, or where it holds the items of the page before it, a report of that and nothing: a service
 * that does not know `page` answers the same for ever, and none of it stands at further ranks.
 */
export const unlessRepeated = <T extends ReceivedPage>(
  page: T,
  { before }: { before?: string },
  sample: unknown,
): T => {
  if (page.mark === null || page.mark !== before) return page;
  const told = { resource: 'list', field: 'page (repeated)', sample };
  return { ...page, length: 0, items: [], rejected: [], drift: [...page.drift, told] };
};
