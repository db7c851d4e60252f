import { messageOf, TrendlakeError } from '../../base/errors.ts';
import type { Lake } from '../../lake/open.ts';
import type { RunStatement } from './alert-rows.ts';
import { lastSeen, listAlerts, saveEvaluation, saveFailure } from './alert-store.ts';
import { firedRows } from './fire.ts';

/**
 * Evaluates every alert at an instant and stores the rows that fire. A statement that fails changes
 * nothing but its failure.
 * @param warn receives a sentence when a statement begins to fail
 * @returns the number of rows that fired
 */
export const evaluateAlerts = async (
  lake: Lake,
  { run, now, warn }: { run: RunStatement; now: number; warn(sentence: string): void },
): Promise<number> => {
  let count = 0;
  for (const alert of listAlerts(lake))
    try {
      const rows = await run(alert.sql);
      const seen = { evaluatedAt: alert.evaluatedAt, lastSeen: lastSeen(lake, alert.name) };
      const fired = firedRows(alert, rows, seen, now);
      saveEvaluation(lake, alert, { fired, subjects: [...rows.keys()] }, now);
      count += fired.length;
    } catch (error) {
      if (!(error instanceof TrendlakeError)) throw error;
      const failure = messageOf(error);
      saveFailure(lake, alert.name, failure);
      if (alert.failure === null) warn(`The alert "${alert.name}" cannot be evaluated: ${failure}`);
    }
  return count;
};
