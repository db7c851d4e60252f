import type { StatedKey } from '../../run/plan/accounting.ts';
import { grouped } from './figures.ts';
import { timeText } from './relative-time.ts';

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
