import { sendReports } from '../../alerts/report/send-report.ts';
import { lastWholeDay, lastWholeWeek } from '../../alerts/report/week.ts';
import { DAY_MS } from '../../base/durations.ts';
import { EXIT, TrendlakeError } from '../../base/errors.ts';
import type { ChoreContext, ChoreDone } from '../plan/job.ts';
import { cronOfJob } from '../plan/month-plan.ts';

/** A report that a target did not take. The next run sends it again to that target only. */
class ReportError extends TrendlakeError {
  readonly transient = true;
  readonly exitCode = EXIT.failed;
}

/** Days in a week from which on a schedule means daily reports. */
const DAILY_FROM = 4;

/** Sends the reports of `TRENDLAKE_REPORT`: of the last day if it is scheduled daily, or else of the last week. */
export const sendDueReports = async (
  job: { readonly name: string; readonly schedule: string },
  { lake, config, clock, env, signal }: ChoreContext,
): Promise<ChoreDone> => {
  const { report, publicUrl } = config;
  if (report === undefined) return { did: 'TRENDLAKE_REPORT is not set' };
  const now = clock.now();
  const slots = cronOfJob(job, config)?.slots(now - 7 * DAY_MS, now) ?? [];
  const days = new Set(slots.map((at) => Math.floor(at / DAY_MS)));
  const week = days.size >= DAILY_FROM ? lastWholeDay(now) : lastWholeWeek(now);
  const targets = report.to.map((target) => target.reveal());
  const order = { week, tags: report.tags, targets };
  const { sent, failures } = await sendReports(lake, order, { clock, env, signal, publicUrl });
  if (failures.length > 0)
    throw new ReportError(
      `${failures.length} reports of ${week.name} could not be sent: ${failures.join('; ')}. trendlake retries.`,
    );
  return { did: `${sent} reports of ${week.name} sent` };
};
