import { DAY_MS } from '../src/base/durations.ts';
import type { Chore } from '../src/run/plan/job.ts';

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/** Removes expired stored responses every night. Their data stays loaded. Finishes killed erasures. */
export default {
  name: 'prune',
  schedule: '45 4 * * *',
  run: async ({ lake, config, clock, signal }) => {
    const { forgetResponses } = await import('../src/ingest/responses/responses.ts');
    const { giveBackFreePages } = await import('../src/lake/give-back.ts');
    const { finishErasures } = await import('../src/run/maintenance/forget.ts');
    await finishErasures(lake, { clock, upstream: config.upstream, signal });
    const oldest = clock.now() - config.retentionDays * DAY_MS;
    const forgotten = await forgetResponses(lake, oldest, { clock, signal });
    const { bytes, keptBytes } = await giveBackFreePages(lake, { clock, signal });
    const freed =
      keptBytes > 0
        ? `; ${megabytes(keptBytes)} MB are free inside the file and are used again`
        : `; the file gave back ${megabytes(bytes)} MB`;
    const did = `${forgotten} stored responses older than ${config.retentionDays} days removed`;
    return { did: bytes + keptBytes > 0 ? did + freed : did };
  },
} satisfies Chore;
