import type { Config } from '../../base/config/config.ts';
import { backupsIn } from '../../base/data-dir/backups.ts';
import { DAY_MS } from '../../base/durations.ts';
import { type Holder, living } from '../../lake/exclusive.ts';
import { cronOfJob, type PlannedJob, type ScheduledJob } from '../plan/month-plan.ts';
import { DAEMON } from '../schedule/daemon.ts';

export interface PipelineSettings {
  readonly config: Config;
  readonly jobs: readonly PlannedJob[];
  /** Enabled ones. */
  readonly chores: readonly ScheduledJob[];
}

/** Next slot of a job or chore (Unix ms); null: it is off. */
const nextSlot = (job: ScheduledJob, config: Config, now: number): number | null =>
  cronOfJob(job, config)?.slots(now, now + 32 * DAY_MS)[0] ?? null;

interface BackupState {
  readonly date: string; // YYYY-MM-DD
  readonly bytes: number;
  readonly kept: number;
}

const backupOf = (dataDir: string): BackupState | null => {
  const backups = backupsIn(dataDir);
  const last = backups.at(-1);
  const date = /\d{4}-\d\d-\d\d/.exec(last?.path.split(/[\\/]/).at(-1) ?? '')?.[0];
  return last === undefined || date === undefined
    ? null
    : { date, bytes: last.bytes, kept: backups.length };
};

export interface ScheduleState {
  readonly slots: readonly { readonly name: string; readonly nextAt: number | null }[]; // null: it is off
  readonly daemons: readonly Holder[];
  readonly backup: BackupState | null;
}

/** Next slots, running daemons and last backup, as of `now` (Unix ms). */
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
