import { html } from 'hono/html';
import {
  type Alert,
  type AlertHit,
  listAlerts,
  newestHits,
} from '../../alerts/rules/alert-store.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import { digits, sinceText } from './figures.ts';
import type { FramedPage } from './frame.ts';
import { type Html, NOTHING } from './html.ts';
import { type PageDeps, sendPresentPage } from './page-route.ts';
import { linkHere, linkTo, type PageView, videoPath } from './page-view.ts';

/** Content of `/alerts`. */
export interface AlertsContent {
  readonly alerts: readonly Alert[];
  /** Rows that fired, newest first. */
  readonly hits: readonly AlertHit[];
  /** Chosen alert. */
  readonly name: string | undefined;
}

const stateCell = ({ failure, evaluatedAt }: Alert, view: PageView): Html => {
  if (failure !== null)
    return html`<span class="outcome failed">fails</span>${view.reader === 'operator' ? html` <span class="soft small">${failure}</span>` : NOTHING}`;
  return evaluatedAt === null
    ? html`<span class="soft">not evaluated yet</span>`
    : html`<span class="outcome complete">ok</span> <span class="soft small">${sinceText(evaluatedAt, view.at)}</span>`;
};

const alertRow = (view: PageView, alert: Alert): Html =>
  html`<tr><td><a href="${linkHere(view, { name: alert.name })}">${alert.name}</a>${view.reader === 'operator' ? html`<details><summary class="small">SQL</summary><pre><code>${alert.sql}</code></pre></details>` : NOTHING}</td>
<td class="n no-phone">${digits(alert.cooldownMs / HOUR_MS)} h</td><td>${stateCell(alert, view)}</td></tr>`;

const hitName = (view: PageView, { subject, row }: AlertHit): Html => {
  const text = typeof row.title === 'string' && row.title !== '' ? row.title : subject;
  if (typeof row.url === 'string' && /^https?:$/.test(URL.parse(row.url)?.protocol ?? ''))
    return html`<a dir="auto" href="${row.url}" rel="noreferrer">${text}</a>`;
  return /^(tt|ig|yt)_\S+$/.test(subject)
    ? html`<a dir="auto" href="${linkTo(view, videoPath(subject))}">${text}</a>`
    : html`<span dir="auto">${text}</span>`;
};

const valueText = ({ row: { value } }: AlertHit): string =>
  typeof value === 'number' ? digits(value) : typeof value === 'string' ? value : '';

const hitRow = (view: PageView, hit: AlertHit): Html =>
  html`<tr><td>${sinceText(hit.at, view.at)}</td><td class="no-phone">${hit.name}</td><td>${hitName(view, hit)}</td><td class="n">${valueText(hit)}</td></tr>`;

const table = (caption: string, heads: Html, rows: readonly Html[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="data"><caption class="unseen">${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;

/** `/alerts`: alerts of users with their state, and the rows that fired. */
const alertsPage = (view: PageView, { alerts, hits, name }: AlertsContent): FramedPage => ({
  title: 'Alerts',
  isTimed: false,
  whenChanged: 'nothing',
  about:
    name === undefined
      ? html`${digits(alerts.length)} alerts`
      : html`alert <b>${name}</b>. <a href="${linkHere(view, { name: undefined })}">all alerts</a>`,
  main: html`<section><h2>Alerts</h2>${
    alerts.length === 0
      ? html`<p class="empty">No alerts yet. Use <code>${commandText('alerts add NAME --template passes-views')}</code>.</p>`
      : table(
          'Alerts',
          html`<th scope="col">name</th><th scope="col" class="n no-phone">cool-down</th><th scope="col">state</th>`,
          alerts.map((alert) => alertRow(view, alert)),
        )
  }</section>
<section><h2>Fired</h2>${
    hits.length === 0
      ? html`<p class="empty">No row has fired yet. Alerts are evaluated after each complete run.</p>`
      : table(
          'Rows that fired',
          html`<th scope="col">when</th><th scope="col" class="no-phone">alert</th><th scope="col">row</th><th scope="col" class="n">value</th>`,
          hits.map((hit) => hitRow(view, hit)),
        )
  }</section>`,
});

const MOST_HITS = 200;

/** `/alerts`: for key holders, and on this machine for everybody. Only this machine sees the SQL. */
export const alertsRoute = (deps: PageDeps): void => {
  const { app, service, keyGuard } = deps;
  app.get('/alerts', keyGuard, (c) => {
    const name = c.req.query('name');
    const alerts = listAlerts(service.lake).filter(
      (alert) => name === undefined || alert.name === name,
    );
    const hits = newestHits(service.lake, { name: name ?? null, limit: MOST_HITS });
    return sendPresentPage(deps, c, (view) => alertsPage(view, { alerts, hits, name }));
  });
};
