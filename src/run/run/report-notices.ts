import { judgeConditions, sendNotices } from '../../alerts/notify/notify.ts';
import { sendHits } from '../../alerts/rules/send-hits.ts';
import { commandText } from '../../base/installation.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import type { Job } from '../plan/job.ts';
import { keyMonths, planMonths } from '../plan/key-plan.ts';
import { expectedSources } from '../plan/month-plan.ts';
import type { Attempt, Attempting } from './attempt.ts';
import type { Background } from './background.ts';
import type { RunDeps } from './run-deps.ts';

export interface NoticeDeps
  extends Pick<RunDeps, 'lake' | 'config' | 'clock' | 'ledgers' | 'signal'> {
  env: NodeJS.ProcessEnv;
  allJobs: readonly Job[];
  attempt: Attempting;
  /** Sends notices beside the next runs. Default: waits for sending. */
  background?: Background;
  warn(sentence: string): void;
}

/** Sends what waits. A failure is a warning, and everything unsent is sent after the next run. */
const send = async ({ lake, warn, config, clock, env, signal }: NoticeDeps): Promise<void> => {
  const deps = { clock, env, signal, publicUrl: config.publicUrl };
  const channel = config.notify?.reveal();
  const failure = channel === undefined ? undefined : await sendNotices(lake, channel, deps);
  if (failure !== undefined)
    warn(`Could not send to TRENDLAKE_NOTIFY (${failure}). trendlake retries after the next run.`);
  for (const unsent of await sendHits(lake, channel, deps))
    warn(`Could not send an alert (${unsent}). trendlake retries after the next run.`);
};

/** Records new and resolved problems. */
const judge = async (
  { lake, config, clock, ledgers = LAKE_LEDGERS, allJobs }: NoticeDeps,
  chores: readonly { name: string; end: Attempt<unknown> }[],
): Promise<void> => {
  const now = clock.now();
  const plan = planMonths(await keyMonths(lake, config, allJobs, { ledgers, now }));
  judgeConditions(
    lake,
    {
      sources: expectedSources(allJobs, config, now),
      quota: plan.fits
        ? null
        : `The month's calls will run out: the schedules need ${plan.missing} more. Run \`${commandText('plan')}\` for details.`,
      chores: chores.map(({ name, end }) => ({ name, failed: !end.ok })),
    },
    now,
  );
};

/**
 * Records new and resolved problems and sends each once to `TRENDLAKE_NOTIFY`, and alerts to their
 * targets. With `background`, a slow receiver does not delay runs.
 */
export const tellNotices = async (
  deps: NoticeDeps,
  chores: readonly { name: string; end: Attempt<unknown> }[],
): Promise<void> => {
  const { config, attempt, background } = deps;
  if (config.notify !== undefined) await judge(deps, chores);
  const sending = () => attempt('sending notices', () => send(deps));
  if (background === undefined) await sending();
  else background.start(sending);
};
