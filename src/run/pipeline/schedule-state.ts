import { backupsIn } from '../../base/data-dir/backups.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { type Holder, living } from '../../lake/exclusive.ts';
import { cronOfJob, type PlanConfig, type PlannedJob } from '../plan/month-plan.ts';
import { DAEMON } from '../schedule/daemon.ts';

/** A job that asks nothing, as far as its schedule goes. */
export interface ScheduledChore {
  readonly name: string;
  readonly schedule: string;
  readonly schedulesWith?: string;
}

/** What a pipeline is read by: settings and schedules. */
export interface PipelineSettings {
  readonly config: PlanConfig;
  readonly jobs: readonly PlannedJob[];
  /** Those that the settings want. */
  readonly chores: readonly ScheduledChore[];
}

/** When a job or chore is due next (Unix ms); null: it is off. */
export const nextSlot = (job: ScheduledChore, config: PlanConfig, now: number): number | null => {
  const cron = cronOfJob(job, config);
  // most come within a day; looking further takes as much longer
  const soon = cron?.slots(now, now + DAY_MS + HOUR_MS)[0];
  return soon ?? cron?.slots(now, now + 32 * DAY_MS)[0] ?? null;
};

/** The last backup of a data directory, and how many are kept. */
export interface BackupState {
  readonly date: string; // YYYY-MM-DD
  readonly bytes: number;
  readonly kept: number;
}

/** The last backup of a data directory; null without any. */
export const backupOf = (dataDir: string): BackupState | null => {
  const backups = backupsIn(dataDir);
  const last = backups.at(-1);
  const date = /\d{4}-\d\d-\d\d/.exec(last?.path.split(/[\\/]/).at(-1) ?? '')?.[0];
  return last === undefined || date === undefined
    ? null
    : { date, bytes: last.bytes, kept: backups.length };
};

/** What runs by itself: when each job and chore is due next, which daemons live, the last backup. */
export interface ScheduleState {
  readonly slots: readonly { readonly name: string; readonly nextAt: number | null }[]; // null: it is off
  readonly daemons: readonly Holder[];
  readonly backup: BackupState | null;
}

/** What runs by itself in a data directory, at an instant (Unix ms). */
export const scheduleState = (
  dataDir: string,
  { config, jobs, chores }: PipelineSettings,
  now: number,
): ScheduleState => ({
  slots: [...jobs, ...chores].map((job) => ({
    name: job.name,
    nextAt: nextSlot(job, config, now),
  })),
  daemons: living(dataDir, DAEMON),
  backup: backupOf(dataDir),
});
