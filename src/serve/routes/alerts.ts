import { listAlerts, newestHits } from '../../alerts/rules/alert-store.ts';
import { PageBytes } from '../cache/page-cache.ts';
import { alertsPage } from '../pages/alerts-page.ts';
import { framed } from '../pages/frame.ts';
import { type PageDeps, presentView, sendFixedPage } from '../pages/page-route.ts';

const MOST_HITS = 200;

/** `/alerts`: for key holders, and on this machine for everybody. Only this machine sees the SQL. */
export const alertsRoute = (deps: PageDeps): void => {
  const { app, service, keyGuard } = deps;
  app.get('/alerts', keyGuard, async (c) => {
    const name = c.req.query('name');
    const alerts = listAlerts(service.lake).filter(
      (alert) => name === undefined || alert.name === name,
    );
    const hits = newestHits(service.lake, { name: name ?? null, limit: MOST_HITS });
    const view = presentView(deps, c);
    const page = await framed(view, alertsPage(view, { alerts, hits, name }));
    return sendFixedPage(c, new PageBytes(String(page)));
  });
};
