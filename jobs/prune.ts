import { DAY_MS } from '../src/durations.ts';
import { forgetResponses } from '../src/load/responses.ts';
import type { Chore } from '../src/runner/job.ts';

/** Removes stored responses older than the retention, every night. What they said stays loaded. */
export default {
  name: 'prune',
  schedule: '45 4 * * *',
  run: async ({ lake, config, clock }) => {
    const oldest = clock.now() - config.retentionDays * DAY_MS;
    const forgotten = forgetResponses(lake, oldest);
    return { did: `${forgotten} stored responses older than ${config.retentionDays} days removed` };
  },
} satisfies Chore;
