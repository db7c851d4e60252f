import type { ItemState } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import type { FailedRequest } from '../../run/maintenance/failures.ts';
import type { StatedKey } from '../../run/plan/accounting.ts';
import { grouped } from './figures.ts';
import { timeText } from './relative-time.ts';
import { oneLine } from './text-table.ts';

const LONGEST_SAMPLE = 80;
const LONGEST_LINE = 400;

const cut = (text: string): string =>
  text.length > LONGEST_SAMPLE ? `${text.slice(0, LONGEST_SAMPLE - 3)}...` : text;

/** Drift, with the first sample (JSON), and the one before. */
export const driftText = (
  {
    resource,
    field,
    sample,
    former = null,
    setting = null,
  }: {
    resource: string;
    field: string;
    sample: string;
    former?: string | null;
    setting?: string | null;
  },
  seen: string,
): string => {
  const lines = [
    `${resource}: ${field}, first ${seen}: ${cut(sample)}`,
    ...(former === null ? [] : [`  before: ${cut(former)}`]),
    ...(setting === null ? [] : [`  fix: set upstream.${setting}, then replay`]),
  ];
  return lines.map((line) => `  ${oneLine(line, LONGEST_LINE)}`).join('\n');
};

/** Lines for a key: calls spent, calls left, and its pause if there is one. */
export const keyText = (
  { name, platforms, ratePerMinute, month, moment, plan, refusedAt, spentUntil }: StatedKey,
  now: number,
): string[] => {
  const spent = `${grouped(month.spent)} of ${grouped(month.limit)} spent`;
  const left = `${grouped(month.remaining)} left until ${timeText(month.endsAt, now)}`;
  const planned = plan.fits ? 'enough' : `the schedules need ${grouped(plan.missing)} more`;
  const unspent =
    spentUntil === null ? planned : `the service states none until ${timeText(spentUntil, now)}`;
  const enough =
    refusedAt === null ? unspent : `refused by the service at ${timeText(refusedAt, now)} (401)`;
  const minute =
    moment === undefined
      ? ''
      : `; ${grouped(moment.inMinute)} of ${grouped(ratePerMinute)} in the last minute`;
  const lines = [
    `  key ${name.padEnd(14)} ${spent}; ${left}: ${enough}${minute} (${platforms.join(', ')})`,
  ];
  const pause = moment?.pause ?? null;
  if (pause !== null)
    lines.push(`     paused until ${timeText(pause.untilAt, now)}: ${pause.reason}`);
  return lines;
};

const LONGEST_ERROR = 400;
const MOST_IDS = 10;

const BECAME: Record<ItemState, string> = {
  planned: 'not answered',
  done: 'answered later',
  failed: 'given up',
  skipped: 'skipped',
};

/** Formats a failed request: the request, time, error and advice. */
export const failureText = (failure: FailedRequest): string[] => {
  const { runId, job, request, state, calls, advice } = failure;
  const last = calls.at(-1);
  if (last === undefined) return [];
  const where = runId === null ? `${job}, by hand` : `${job}, run ${runId}`;
  const became = state === null ? '' : `: ${BECAME[state]}`;
  const earlier = calls.slice(0, -1).map(({ callId }) => callId);
  const ids = earlier.slice(-MOST_IDS).join(', ');
  return [
    `  ${request}  (${where}${became})`,
    `     ${isoOf(last.at)}  call ${last.callId}: ${oneLine(last.error, LONGEST_ERROR)}`,
    ...(earlier.length > 0
      ? [
          `     ${earlier.length} failed before it: ${earlier.length > MOST_IDS ? '..., ' : ''}${ids}`,
        ]
      : []),
    `     ${advice}`,
  ];
};
