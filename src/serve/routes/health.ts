import { statfsSync } from 'node:fs';
import { isoOf } from '../../iso.ts';
import type { ServiceApp, ServiceContext } from '../context.ts';

/** `GET /health`: database, lag of the lake and disk, for whoever watches the process. Needs no key. */
export const healthRoute = (app: ServiceApp, service: ServiceContext): void => {
  app.get('/health', (c) => {
    const now = service.now();
    const seenAt = service.changes.newestSnapshot(now);
    const disk = statfsSync(service.lake.dataDir);
    return c.json(
      {
        status: 'ok',
        now: isoOf(now),
        newestObservationAt: seenAt === null ? null : isoOf(seenAt),
        lagSeconds: seenAt === null ? null : Math.floor((now - seenAt) / 1000),
        diskFreeBytes: disk.bavail * disk.bsize,
      },
      200,
      { 'cache-control': 'no-store' },
    );
  });
};
