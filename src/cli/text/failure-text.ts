import type { ItemState } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import type { FailedRequest } from '../../run/maintenance/failures.ts';
import { oneLine } from './text-table.ts';

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
