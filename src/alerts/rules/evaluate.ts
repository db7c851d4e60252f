import { messageOf, TrendlakeError } from '../../base/errors.ts';
import type { Lake } from '../../lake/open.ts';
import { notifyTargetsById } from '../notify/channel.ts';
import type { RowsBySubject, RunStatement } from './alert-rows.ts';
import {
  type Alert,
  type AlertHit,
  lastSeen,
  listAlerts,
  saveEvaluation,
  saveFailure,
} from './alert-store.ts';

/** Earlier evaluations, as far as they decide about the next one. */
interface EarlierRows {
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

/**
 * Evaluates every alert at an instant and stores the rows that fire. A statement that fails changes
 * nothing but its failure.
 * @param notify `TRENDLAKE_NOTIFY`, for alerts without targets
 * @param warn receives a sentence when a statement begins to fail
 * @returns the number of rows that fired
 */
export const evaluateAlerts = async (
  lake: Lake,
  {
    run,
    now,
    notify,
    warn,
  }: {
    run: RunStatement;
    now: number;
    notify: string | undefined;
    warn(sentence: string): void;
  },
): Promise<number> => {
  const notified = [...notifyTargetsById(notify).keys()];
  let count = 0;
  for (const alert of listAlerts(lake))
    try {
      const rows = await run(alert.sql);
      const seen = { evaluatedAt: alert.evaluatedAt, lastSeen: lastSeen(lake, alert.name) };
      const fired = firedRows(alert, rows, seen, now);
      const targets = alert.targets.length === 0 ? notified : alert.targets;
      saveEvaluation(lake, alert.name, { fired, targets, subjects: [...rows.keys()] }, now);
      count += fired.length;
    } catch (error) {
      if (!(error instanceof TrendlakeError)) throw error;
      const failure = messageOf(error);
      saveFailure(lake, alert.name, failure);
      if (alert.failure === null) warn(`The alert "${alert.name}" cannot be evaluated: ${failure}`);
    }
  return count;
};
