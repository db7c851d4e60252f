import { typed } from '../installation.ts';
import { notify } from '../notify/notify.ts';
import { LAKE_LEDGERS } from '../throttle/lake-ledger.ts';
import type { Attempt } from './attempt.ts';
import { expectedSources } from './expected-sources.ts';
import type { Job } from './job.ts';
import { keyMonths, planMonths } from './key-plan.ts';
import type { RunDeps } from './run-deps.ts';

/** What telling needs of the world. */
interface NoticeDeps extends Pick<RunDeps, 'lake' | 'config' | 'clock' | 'ledgers'> {
  env: NodeJS.ProcessEnv;
  allJobs: readonly Job[];
  warn(sentence: string): void;
}

/**
 * Tells whoever runs trendlake what is not as it should be, where `TRENDLAKE_NOTIFY` says: each once,
 * and once that it is over. That it could not be told is a warning; the next night tells it.
 */
export const tellNotices = async (
  { lake, config, clock, ledgers = LAKE_LEDGERS, env, allJobs, warn }: NoticeDeps,
  chores: readonly { name: string; end: Attempt<unknown> }[],
): Promise<void> => {
  if (config.notify === undefined) return;
  const now = clock.now();
  const sources = expectedSources(allJobs, config, now);
  const plan = planMonths(await keyMonths(lake, config, allJobs, { ledgers, now }));
  const failure = await notify(
    lake,
    config.notify.reveal(),
    {
      sources,
      quota: plan.fits
        ? null
        : `The month's calls will not last: ${plan.missing} are missing for what is scheduled. \`${typed('plan')}\` tells more.`,
      chores: chores.map(({ name, end }) => ({ name, failed: !end.ok })),
    },
    { clock, env },
  );
  if (failure !== undefined)
    warn(`TRENDLAKE_NOTIFY could not be told (${failure}); it is tried again after the next run.`);
};
