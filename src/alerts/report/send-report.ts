import { createHash } from 'node:crypto';
import { readMeta, writeMeta } from '../../lake/meta.ts';
import type { Lake } from '../../lake/open.ts';
import { type ChannelDeps, sendTo } from '../notify/channel.ts';
import { chatTarget } from '../webhooks/chat.ts';
import { reportMail, reportMessage } from './report-mail.ts';
import type { Week } from './week.ts';
import { weeklyReport } from './weekly-report.ts';

/** Reports to send: one for each tag, or one of everything. */
export interface ReportOrder {
  readonly week: Week;
  readonly tags: readonly string[];
  readonly targets: readonly string[];
  /** Send again to a target that has this report. Default: each target gets it once. */
  readonly again?: boolean;
}

/** Reports that were sent. */
export interface SentReports {
  readonly sent: number;
  /** Without addresses. */
  readonly failures: readonly string[];
}

/** Reports sent for the newest period, so that a retry reaches only targets that failed. */
const SENT = 'reports_sent';

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** Makes reports and sends them to each target. */
export const sendReports = async (
  lake: Lake,
  { week, tags, targets, again = false }: ReportOrder,
  deps: Omit<ChannelDeps, 'lake'>,
): Promise<SentReports> => {
  const { clock, signal, publicUrl } = deps;
  const earlier = JSON.parse(readMeta(lake.sqlite, SENT) ?? '{}') as Record<string, string[]>;
  const done = new Set(again ? [] : earlier[week.name]);
  const failures: string[] = [];
  let sent = 0;
  for (const tag of tags.length === 0 ? [undefined] : tags) {
    const idOf = (target: string): string => hashOf([target, tag ?? '']);
    const missing = targets.filter((target) => !done.has(idOf(target)));
    if (missing.length === 0) continue;
    const report = await weeklyReport(lake, { week, tag }, clock);
    const message = reportMessage(report);
    const mail = await reportMail(report, publicUrl);
    for (const target of missing) {
      const failure = await sendTo(target, message, { ...deps, lake }, mail);
      if (failure !== undefined) {
        failures.push(failure);
        continue;
      }
      sent += 1;
      done.add(idOf(target));
      if (!again) writeMeta(lake.sqlite, SENT, JSON.stringify({ [week.name]: [...done] }));
      await clock.sleep(chatTarget(target)?.everyMs ?? 0, signal);
    }
  }
  return { sent, failures };
};
