import { backupLake } from '../src/run/maintenance/backup.ts';
import type { Chore } from '../src/run/plan/job.ts';

/** Copies the lake to `<data dir>/backups` every night, checks the copy and keeps the newest seven. */
export default {
  name: 'backup',
  schedule: '15 5 * * *',
  run: async ({ lake, clock, signal }) => {
    const { path, bytes } = await backupLake(lake, { clock, signal });
    return { did: `${path}, ${bytes} bytes, checked` };
  },
} satisfies Chore;
