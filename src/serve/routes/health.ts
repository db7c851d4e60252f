import { statfsSync } from 'node:fs';
import { SECOND_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import type { Metrics } from '../../run/metrics/metrics.ts';
import type { ServiceApp, ServiceContext } from '../request/context.ts';

/** The status is cached this long, as requests need no key. */
const KEPT_MS = SECOND_MS;

/**
 * `GET /health`: database, lag of the lake and free disk space. Needs no key. 503 after the lake was
 * deleted or replaced, as the service still has the old file open.
 */
export const healthRoute = (app: ServiceApp, service: ServiceContext): void => {
  const read = () => {
    const now = service.now();
    if (!service.lake.isThere) return { status: 'lake-missing', now: isoOf(now) };
    const seenAt = newestSnapshotAt(service.lake, now);
    const disk = statfsSync(service.lake.dataDir);
    return {
      status: 'ok',
      now: isoOf(now),
      newestObservationAt: seenAt === null ? null : isoOf(seenAt),
      lagSeconds: seenAt === null ? null : Math.floor((now - seenAt) / 1000),
      diskFreeBytes: disk.bavail * disk.bsize,
    };
  };
  let kept: { readonly at: number; readonly health: ReturnType<typeof read> } | undefined;
  app.get('/health', (c) => {
    const at = service.clock.monotonic();
    if (kept === undefined || at - kept.at >= KEPT_MS) kept = { at, health: read() };
    const status = kept.health.status === 'ok' ? 200 : 503;
    return c.json(kept.health, status, { 'cache-control': 'no-store' });
  });
};

/** `GET /metrics`: the service, its lake and its process in the Prometheus text format. */
export const metricsRoute = (app: ServiceApp, metrics: Metrics): void => {
  app.get('/metrics', async (c) =>
    c.body(await metrics.text(), 200, {
      'content-type': metrics.contentType,
      'cache-control': 'no-store',
    }),
  );
};
