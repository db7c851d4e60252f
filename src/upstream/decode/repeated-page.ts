import { createHash } from 'node:crypto';
import type { Drift } from '../errors.ts';
import type { Rejection } from './decode-items.ts';

/** The parts of a page that identify it. */
interface ReceivedPage {
  length: number;
  /** Fingerprint of its items; null if none could be read. */
  mark: string | null;
  items: unknown[];
  rejected: Rejection[];
  drift: Drift[];
}

/** Fingerprint of the items of a page in any order, because a service may reorder them meanwhile. */
export const markOf = (names: readonly string[]): string | null =>
  names.length === 0
    ? null
    : createHash('sha256').update(JSON.stringify(names.toSorted())).digest('hex').slice(0, 16);

/**
 * The page, or an empty page with drift if it repeats the items of the page before: a service that ignores
 * `page` would return the first page without end.
 */
export const unlessRepeated = <T extends ReceivedPage>(
  page: T,
  { before }: { before?: string },
  sample: unknown,
): T => {
  if (page.mark === null || page.mark !== before) return page;
  const repeated = { resource: 'list', field: 'page (repeated)', sample };
  return { ...page, length: 0, items: [], rejected: [], drift: [...page.drift, repeated] };
};
