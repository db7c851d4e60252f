import type { Metrics } from '../../run/metrics/metrics.ts';
import type { ServiceApp } from '../request/context.ts';

/** `GET /metrics`: the service, its lake and its process in the Prometheus text format. */
export const metricsRoute = (app: ServiceApp, metrics: Metrics): void => {
  app.get('/metrics', async (c) =>
    c.body(await metrics.text(), 200, {
      'content-type': metrics.contentType,
      'cache-control': 'no-store',
    }),
  );
};
