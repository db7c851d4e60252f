import type { Chore } from '../src/run/plan/job.ts';

/** Thins and removes old rows every night, as TRENDLAKE_KEEP says. */
export default {
  name: 'keep',
  schedule: '35 4 * * *',
  isWanted: ({ keep }) => Object.keys(keep).length > 0,
  run: async ({ lake, config, clock, signal }) => {
    const { giveBackFreePages } = await import('../src/lake/give-back.ts');
    const { keepLake } = await import('../src/run/maintenance/keep.ts');
    const removed = await keepLake(lake, config.keep, { clock, signal });
    const { bytes } = await giveBackFreePages(lake, { clock, signal });
    const rows = Object.values(removed).reduce((sum, n) => sum + n, 0);
    return {
      did: `${rows} old rows removed; the file gave back ${(bytes / 1e6).toFixed(0)} MB`,
      rows,
    };
  },
} satisfies Chore;
