import { HOUR_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import type { RunStatement } from './alert-rows.ts';
import type { Alert, AlertHit } from './alert-store.ts';
import { firedRows } from './evaluate.ts';

/** Work after a run, such as forecasts, is known this long after its end at the latest. */
const FOLLOWED_BY_MS = HOUR_MS;

/** A past complete run. Instants are Unix ms. */
interface PastNight {
  readonly at: number;
  /** The lake as of this instant has the run's forecasts and events, but no later run. */
  readonly asOf: number;
}

const pastNights = ({ sqlite }: Pick<Lake, 'sqlite'>, since: number, now: number): PastNight[] =>
  prepare(
    sqlite,
    `select r.finished_at as at, (
         select min(n.started_at) from runs n where n.id > r.id) as next
       from runs r where r.outcome = 'complete' and r.finished_at >= ? and r.finished_at <= ?
       order by r.finished_at`,
    { at: 'number', next: 'number?' },
  )
    .all(since, now)
    .map(({ at, next }) => ({
      at,
      asOf: Math.max(at, Math.min(at + FOLLOWED_BY_MS, now, (next ?? now + 1) - 1)),
    }));

/** Rows that would have fired in one night. */
export interface ReplayedNight {
  readonly at: number; // Unix ms
  readonly fired: readonly AlertHit[];
}

/**
 * Evaluates an alert after each past complete run, as if it had existed since `since`.
 * @param run evaluates the statement over the lake as of an instant
 */
export const replayNights = async (
  lake: Pick<Lake, 'sqlite'>,
  alert: Pick<Alert, 'name' | 'sql' | 'cooldownMs'>,
  { since, now, run }: { since: number; now: number; run: RunStatement },
): Promise<ReplayedNight[]> => {
  const lastSeen = new Map<string, number>();
  const nights: ReplayedNight[] = [];
  for (const { at, asOf } of pastNights(lake, since, now)) {
    const rows = await run(alert.sql, asOf);
    const evaluatedAt = nights.at(-1)?.at ?? null;
    nights.push({ at, fired: firedRows(alert, rows, { evaluatedAt, lastSeen }, at) });
    for (const subject of rows.keys()) lastSeen.set(subject, at);
  }
  return nights;
};
