import type { Chore } from '../src/run/plan/job.ts';

/**
 * Copies the lake to `<data dir>/backups` every night, checks the copy and keeps the newest seven. With
 * TRENDLAKE_BACKUPS_TO it also uploads the lake and service.db.
 */
export default {
  name: 'backup',
  schedule: '15 5 * * *',
  run: async ({ lake, config, ...world }) => {
    if (config.backupsTo === undefined) {
      const { backupLake } = await import('../src/run/maintenance/backup.ts');
      const { path, bytes } = await backupLake(lake, world);
      return { did: `${path}, ${bytes} bytes, checked` };
    }
    const { openStore } = await import('../src/output/delta/open-store.ts');
    const { packBackup } = await import('../src/run/maintenance/pack-backup.ts');
    const store = await openStore(config.backupsTo, world);
    try {
      const { name, bytes, url } = await packBackup(lake, store, world);
      return { did: `${name}, ${bytes} bytes, checked and uploaded to ${url}` };
    } finally {
      store.close();
    }
  },
} satisfies Chore;
