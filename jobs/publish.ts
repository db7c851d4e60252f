import type { Chore } from '../src/run/plan/job.ts';

/** Publishes the last export as tables on object storage, if TRENDLAKE_TABLES_URL is set. */
export default {
  name: 'publish',
  schedule: '30 4 * * *', // same as the export, which runs first
  schedulesWith: 'export',
  isWanted: ({ tablesUrl }) => tablesUrl !== undefined,
  run: async ({ lake, config, ...world }) => {
    const { publishIfConfigured } = await import('../src/output/delta/publish-if-configured.ts');
    const published = await publishIfConfigured(lake, config, world);
    if (published === undefined) return { did: 'TRENDLAKE_TABLES_URL is not set' };
    const { files, rows, removed, url } = published;
    const did = `${files} files, ${rows} rows published to ${url}, ${removed} files taken out`;
    return { did, files, rows };
  },
} satisfies Chore;
