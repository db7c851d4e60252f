import type { Alert, AlertHit, AlertRow } from './alert-store.ts';

/** Rows of one evaluation by subject; the first row of a subject counts. */
export type RowsBySubject = ReadonlyMap<string, AlertRow>;

/** Earlier evaluations, as far as they decide about the next one. */
export interface EarlierRows {
  /** Newest evaluation that succeeded, Unix ms. */
  readonly evaluatedAt: number | null;
  /** Newest evaluation that had the subject, Unix ms. */
  readonly lastSeen: ReadonlyMap<string, number>;
}

/**
 * Rows that fire: new ones, and ones that return after they were away for the cool-down. A row that
 * the evaluation before had too does not fire.
 */
export const firedRows = (
  { name, cooldownMs }: Pick<Alert, 'name' | 'cooldownMs'>,
  rows: RowsBySubject,
  { evaluatedAt, lastSeen }: EarlierRows,
  at: number,
): AlertHit[] =>
  [...rows].flatMap(([subject, row]) => {
    const seenAt = lastSeen.get(subject);
    const fires = seenAt === undefined || (seenAt !== evaluatedAt && at - seenAt >= cooldownMs);
    return fires ? [{ name, subject, at, row }] : [];
  });
