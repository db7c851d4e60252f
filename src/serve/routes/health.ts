import { statfsSync } from 'node:fs';
import { SECOND_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import type { ServiceApp, ServiceContext } from '../request/context.ts';

/** So long one reading is given again: it needs no key, so anybody may ask as often as they like. */
const KEPT_MS = SECOND_MS;

/** `GET /health`: database, lag of the lake and disk, for whoever watches the process. Needs no key. */
export const healthRoute = (app: ServiceApp, service: ServiceContext): void => {
  const read = () => {
    const now = service.now();
    const seenAt = service.changes.newestSnapshot(now);
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
    return c.json(kept.health, 200, { 'cache-control': 'no-store' });
  });
};
