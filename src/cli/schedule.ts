import type { Command } from 'commander';
import { CHORES, JOBS } from '../../jobs/all-jobs.ts';
import { apiClient } from '../api/client.ts';
import { isoOf, parseIso } from '../clock.ts';
import { withExclusive } from '../lake/exclusive.ts';
import { openLakeFor } from '../lake/origin.ts';
import { afterSync } from '../runner/after-sync.ts';
import { cronOfJob, monthSpent, planMonth } from '../runner/month-plan.ts';
import { type BatchEnd, Schedule } from '../runner/schedule.ts';
import { sync } from '../runner/sync.ts';
import { startSender } from '../webhooks/sender.ts';
import { type CliIo, configOf } from './io.ts';
import { connect } from './upstream.ts';

const HELP = `
Runs until stopped (SIGINT or SIGTERM: no new calls, what is in flight is finished or given up, all
is committed; a second signal ends at once). Start it under a supervisor, see docs/operating.md.
A slot missed while it was down is caught up once. Several may run on one data directory: each slot
is done by one of them.

Schedules (cron, in TRENDLAKE_TIMEZONE):
${[...JOBS, ...CHORES].map(({ name, schedule }) => `  ${name.padEnd(10)} ${schedule}`).join('\n')}
TRENDLAKE_SCHEDULES='{"feed": "5 */2 * * *", "hashtags": "off"}' changes them.

Example:
  TRENDLAKE_TIMEZONE=Europe/Berlin trendlake schedule`;

const run = async (io: CliIo): Promise<void> => {
  const config = configOf(io);
  const scheduled = [...JOBS, ...CHORES].flatMap((job) => {
    const cron = cronOfJob(job, config);
    return cron === undefined ? [] : [{ name: job.name, cron }];
  });
  const upstream = await connect(config, io);
  const tell = (sentence: string): void => io.err(`${isoOf(io.clock.now())} ${sentence}`);
  const lake = openLakeFor(config.dataDir, upstream.origin, { now: io.clock.now(), tell });
  const client = apiClient(upstream.config);
  const { clock, random, signal } = io;
  const context = { lake, config: upstream.config, clock, signal };

  const runJobs = async (names: readonly string[]): Promise<BatchEnd> => {
    const jobs = JOBS.filter((job) => names.includes(job.name));
    const chores = CHORES.filter((chore) => names.includes(chore.name));
    const summaries = await withExclusive(config.dataDir, 'sync', clock, () =>
      sync({ ...context, client, random, jobs }, JOBS),
    );
    for (const { runId, outcome, calls, items, reason } of summaries)
      tell(
        `run ${runId} ${outcome}: ${calls.sent} calls, ${items.done} answers loaded${reason === null ? '' : `; ${reason}`}`,
      );
    if (summaries.length > 0) {
      const events = await afterSync(lake, config, { clock, random, signal, report: tell });
      if (events > 0) tell(`${events} events noticed`);
    }
    for (const chore of chores)
      if (!signal.aborted) tell(`${chore.name}: ${await chore.run(context)}`);
    const resumesAt = summaries.at(-1)?.resumesAt ?? null;
    return { resumesAt: resumesAt === null ? null : (parseIso(resumesAt) ?? null) };
  };
  try {
    const plan = planMonth(
      JOBS,
      upstream.config,
      monthSpent(lake, upstream.config, clock.now()),
      clock.now(),
    );
    if (!plan.fits)
      tell(
        `warning: ${plan.missing} calls are missing for this month's schedules; \`trendlake plan\` tells more. ${plan.advice.join(' ')}`,
      );
    tell(
      `trendlake schedules ${scheduled.map(({ name }) => name).join(', ')} (${config.timezone})`,
    );
    const sender = startSender(lake, { clock, random, report: tell });
    await new Schedule({ lake, clock, signal, jobs: scheduled, runJobs, tell }).run();
    await sender.stop();
    tell('stopped');
  } finally {
    await client.close();
    lake.close();
    await upstream.close();
  }
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', HELP).action(() => run(io));
};
