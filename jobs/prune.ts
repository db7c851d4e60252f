import { DAY_MS } from '../src/durations.ts';
import type { Chore } from '../src/runner/job.ts';

/** Removes kept answers older than the retention, every night. What they said stays loaded. */
export default {
  name: 'prune',
  schedule: '45 4 * * *',
  run: async ({ lake, config, clock }) => {
    const oldest = clock.now() - config.retentionDays * DAY_MS;
    const { changes } = lake.sqlite
      .prepare('delete from responses where call_id in (select id from calls where sent_at < ?)')
      .run(oldest);
    return `${changes} kept answers older than ${config.retentionDays} days removed`;
  },
} satisfies Chore;
