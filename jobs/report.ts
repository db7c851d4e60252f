import type { Chore } from '../src/run/plan/job.ts';

const JOB = { name: 'report', schedule: '0 7 * * 1' };

/** Sends reports, if TRENDLAKE_REPORT is set. */
export default {
  ...JOB,
  isWanted: ({ report }) => report !== undefined,
  run: async (context) => {
    const { sendDueReports } = await import('../src/run/maintenance/send-due-reports.ts');
    return sendDueReports(JOB, context);
  },
} satisfies Chore;
