import { judgeConditions, sendNotices } from '../../alerts/notify/notify.ts';
import { commandText } from '../../base/installation.ts';
import type { Secret } from '../../base/secret.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import { expectedSources } from '../plan/expected-sources.ts';
import type { Job } from '../plan/job.ts';
import { keyMonths, planMonths } from '../plan/key-plan.ts';
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

/** A failure is a warning. Unsent notices are sent after the next run. */
const send = async (channel: Secret, { lake, warn, ...deps }: NoticeDeps): Promise<void> => {
  const failure = await sendNotices(lake, channel.reveal(), deps);
  if (failure !== undefined)
    warn(`Could not send to TRENDLAKE_NOTIFY (${failure}). trendlake retries after the next run.`);
};

/**
 * Records new and resolved problems and sends each once to `TRENDLAKE_NOTIFY`. With `background`, a
 * slow receiver does not delay runs.
 */
export const tellNotices = async (
  deps: NoticeDeps,
  chores: readonly { name: string; end: Attempt<unknown> }[],
): Promise<void> => {
  const { lake, config, clock, ledgers = LAKE_LEDGERS, allJobs, attempt, background } = deps;
  const { notify } = config;
  if (notify === undefined) return;
  const now = clock.now();
  const plan = planMonths(await keyMonths(lake, config, allJobs, { ledgers, now }));
  const known = {
    sources: expectedSources(allJobs, config, now),
    quota: plan.fits
      ? null
      : `The month's calls will run out: the schedules need ${plan.missing} more. Run \`${commandText('plan')}\` for details.`,
    chores: chores.map(({ name, end }) => ({ name, failed: !end.ok })),
  };
  judgeConditions(lake, known, now);
  const sending = () => attempt('sending notices', () => send(notify, deps));
  if (background === undefined) await sending();
  else background.start(sending);
};
