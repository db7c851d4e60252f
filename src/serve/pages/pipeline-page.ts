import { z } from '@hono/zod-openapi';
import { html, raw } from 'hono/html';
import type { Price } from '../../base/config/setting-readers.ts';
import { DAY_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import type { JobItems, OpenedRun, RunItem, RunLine } from '../../run/maintenance/runs.ts';
import type { PipelineState } from '../../run/pipeline/pipeline-state.ts';
import { RefusedError } from '../http/problems.ts';
import { limit, page } from '../request/parameters.ts';
import { pagingLinks } from './data-table.ts';
import { digits, inHours, instantTime, number, sinceText } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { emptyState, notice } from './marks.ts';
import { type PageDeps, pageRoute } from './page-route.ts';
import { linkAt, linkTo, type PageView } from './page-view.ts';
import { quotaSection } from './pipeline-quota.ts';
import {
  conditionsSection,
  forecastsSection,
  parquetSection,
  pipelineTiles,
  sourcesSection,
  troubleSections,
  volumesSection,
} from './pipeline-sections.ts';

const RULES: Readonly<Record<string, string>> = {
  'first timeline': 'timeline never pulled',
  'first profile': 'profile never pulled',
  'event of the upstream': 'named in an event from the API',
  due: 'due',
  surplus: 'spare calls available',
};

/** Reason for a request in words. `reason` is the JSON that the budget stored. */
const reasonText = (reason: Readonly<Record<string, unknown>>): string => {
  const given = (names: readonly string[], text: (...values: number[]) => string): string[] => {
    const values = names.map((name) => reason[name]).filter((value) => typeof value === 'number');
    return values.length === names.length ? [text(...values)] : [];
  };
  const hours = (value: number): string => inHours(Math.round(value));
  const rule = String(reason.rule);
  return [
    RULES[rule] ?? rule,
    ...given(['views'], (views = 0) => `${number(views)} views`),
    ...given(
      ['worthHours', 'priceHours'],
      (worth, price) => `worth ${number(worth)} h of error, a call costs ${number(price)} h`,
    ),
    ...given(['ageHours'], (age = 0) => `published ${hours(age)} before`),
    ...given(['sinceRefreshHours'], (since = 0) => `refreshed ${hours(since)} before`),
    ...given(['expectedError'], (error = 0) => `count expected to be ${number(100 * error)} % off`),
    ...given(['nextListRefreshInHours'], (list = 0) => `next list refresh in ${hours(list)}`),
    ...given(
      ['expectedShown', 'trackedVideos'],
      (shown, tracked) => `expected to show ${number(shown)} of ${number(tracked)} tracked videos`,
    ),
  ].join('; ');
};

const tookText = (ms: number): string => {
  if (ms < 1000) return `${ms} ms`;
  const seconds = ms / 1000;
  if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
};

const outcome = (name: string): Html => html`<span class="outcome ${name}">${name}</span>`;

/** Number of requests per state. States without requests are left out, except `done`. */
const itemsText = (byJob: readonly JobItems[]): string => {
  const states = ['done', 'planned', 'failed', 'skipped'] as const;
  return states
    .map((state) => [state, byJob.reduce((sum, job) => sum + job[state], 0)] as const)
    .filter(([state, items]) => items > 0 || state === 'done')
    .map(([state, items]) => `${digits(items)} ${state === 'planned' ? 'open' : state}`)
    .join(', ');
};

/** Runs of the last days, one lane per job. Hidden from screen readers: the table below has the same data. */
const runsTimeline = (view: PageView, { lately: { since: from, items } }: PipelineState): Html => {
  if (items.length === 0) return NOTHING;
  const left = (at: number): number => (100 * (at - from)) / (view.at - from);
  const jobs = [...new Set(items.flatMap((run) => run.jobs))];
  const days = Array.from(
    { length: 7 },
    (_, i) => Math.floor(view.at / DAY_MS - i) * DAY_MS,
  ).filter((day) => left(day) < 95);
  const bar = ({ startedAt, finishedAt, outcome: how, id, calls }: RunLine): string => {
    const width = left(finishedAt ?? view.at) - left(startedAt);
    return `<i class="${how}" style="left:${left(startedAt).toFixed(2)}%;width:${Math.max(0, width).toFixed(2)}%" title="run ${id}, ${isoOf(startedAt).slice(0, 16)}Z: ${how}, ${calls} calls"></i>`;
  };
  return html`<div class="lanes" aria-hidden="true">${jobs.map(
    (job) =>
      html`<div class="lane"><span class="small soft">${job}</span><div>${raw(
        items
          .filter((run) => run.jobs.includes(job))
          .map(bar)
          .join(''),
      )}</div></div>`,
  )}<div class="lane days"><span></span><div>${raw(days.map((day) => `<b style="left:${left(day).toFixed(2)}%">${isoOf(day).slice(5, 10)}</b>`).join(''))}</div></div></div>`;
};

const runRow = (view: PageView, run: RunLine & { byJob: readonly JobItems[] }): Html => {
  const { id, startedAt, finishedAt, jobs, calls, reason, resumesAt, byJob } = run;
  return html`<tr><td class="n"><a href="${linkTo(view, '/pipeline', { run: id })}">${id}</a></td>
<td>${outcome(run.outcome)}</td><td><span class="no-phone">${instantTime(startedAt)} </span><span class="soft small">${sinceText(startedAt, view.at)}</span></td>
<td class="n no-phone">${finishedAt === null ? '–' : tookText(finishedAt - startedAt)}</td><td class="no-phone">${jobs.join(', ')}</td><td>${itemsText(byJob)}${reason === null ? NOTHING : html`<br><span class="small soft">${reason}</span>`}${resumesAt === null ? NOTHING : html`<br><span class="small soft">resumes at ${instantTime(resumesAt)}</span>`}</td><td class="n">${digits(calls)}</td></tr>`;
};

const runsTable = (view: PageView, { items }: PipelineState['runs']): Html =>
  html`<div class="scroll"><table class="data"><caption class="unseen">Runs, newest first</caption><thead><tr><th scope="col" class="n">run</th><th scope="col">outcome</th><th scope="col">began</th><th scope="col" class="n no-phone">took</th><th scope="col" class="no-phone">jobs</th><th scope="col">requests</th><th scope="col" class="n">calls</th></tr></thead><tbody>${items.map((run) => runRow(view, run))}</tbody></table></div>`;

const itemRow = (item: RunItem): Html => {
  const { job, request, state, attempts, error, reason, status, tookMs, rowsChanged } = item;
  return html`<tr><td>${job}</td><td><code class="request">${request}</code>${reason === null ? NOTHING : html`<br><span class="small soft">${reasonText(reason)}</span>`}${error === null ? NOTHING : html`<br><span class="small down"><bdi>${error}</bdi></span>`}</td><td>${outcome(state)}</td><td class="n no-phone">${digits(attempts)}</td><td class="n no-phone">${status ?? '–'}</td><td class="n no-phone">${tookMs === null ? '–' : tookText(tookMs)}</td><td class="n">${rowsChanged === null ? '–' : digits(rowsChanged)}</td></tr>`;
};

/** One run with the reason and the result of each request. */
const openedRunSection = (
  view: PageView,
  { run, byJob, items }: OpenedRun,
): Html => html`<section><h2>Run ${run.id} <span class="soft small">${instantTime(run.startedAt)}${run.finishedAt === null ? '' : html`, took ${tookText(run.finishedAt - run.startedAt)}`}</span></h2>
<p>${outcome(run.outcome)} ${digits(run.calls)} calls${run.reason === null ? '' : html`: <bdi>${run.reason}</bdi>`}</p>
<ul class="plain small">${byJob.map((job) => html`<li><b>${job.job}</b> ${itemsText([job])}</li>`)}</ul>
${items.length === 0 ? html`<p class="soft">This run planned no requests.</p>` : html`<div class="scroll"><table class="data"><caption class="unseen">Requests of run ${run.id}</caption><thead><tr><th scope="col">job</th><th scope="col">request and reason</th><th scope="col">state</th><th scope="col" class="n no-phone">tries</th><th scope="col" class="n no-phone">status</th><th scope="col" class="n no-phone">took</th><th scope="col" class="n">rows</th></tr></thead><tbody>${items.map(itemRow)}</tbody></table></div>`}
<p class="small"><a href="${linkTo(view, '/pipeline')}">All runs</a></p></section>`;

const run = z.coerce.number({ error: 'Expected the number of a run.' }).int().min(1).optional();

interface RunsWanted {
  readonly limit: number;
  readonly page: number;
}

const runsSection = (view: PageView, state: PipelineState, wanted: RunsWanted): Html => {
  const { total, items } = state.runs;
  return html`<section id="runs"><h2>Runs <span class="soft small">the last seven days</span></h2>${
    total === 0
      ? emptyState(view, 'No runs had started by then.')
      : html`${runsTimeline(view, state)}${runsTable(view, state.runs)}${pagingLinks(view, { ...wanted, held: total, rows: items })}`
  }</section>`;
};

const main = (
  view: PageView,
  state: PipelineState,
  { price, ...wanted }: RunsWanted & { price: Price | undefined },
): Html => {
  const { present } = state;
  const runs = runsSection(view, state, wanted);
  if (present === null)
    return html`${notice(html`Runs are shown as of this time. Quota, slots, backup and files are shown <a href="${linkAt(view, undefined)}">for the present only</a>.`)}${runs}`;
  const now = view.now;
  return html`${conditionsSection(present, now)}${pipelineTiles(present, now)}
<div class="grid"><div class="stack">${quotaSection(present, now, price)}${runs}</div>
<div class="stack">${sourcesSection(present, now)}${parquetSection(present, now)}${volumesSection(present)}${forecastsSection(present)}</div></div>
<div class="stack">${troubleSections(present, now)}</div>`;
};

/** `/pipeline`: quota, schedule, runs and problems. `?run=` shows one run with its requests. */
export const pipelinePage = (deps: PageDeps): void =>
  pageRoute(deps, {
    path: '/pipeline',
    query: { run, limit, page },
    make: async ({ query, view, moment }) => {
      const { pipeline } = deps.service;
      if (pipeline === undefined)
        throw new RefusedError(
          'not-found',
          `This service has no pipeline, because it serves generated data. Start one with \`${commandText('serve')}\`.`,
        );
      const { run: id, limit: most, page: shown } = query;
      const state = await pipeline.read({
        asOf: view.isPast ? view.at : view.now,
        now: view.now,
        limit: most,
        page: id === undefined ? shown : 1,
        run: id === undefined ? undefined : { id, page: shown },
      });
      moment.gone().throwIfAborted();
      if (id === undefined)
        return {
          title: 'Pipeline',
          main: main(view, state, { limit: most, page: shown, price: pipeline.price }),
        };
      const { opened } = state;
      if (opened === undefined)
        throw new RefusedError(
          'not-found',
          `Run ${id} does not exist, or had not started by then.`,
        );
      return {
        title: `Run ${id}`,
        main: html`${openedRunSection(view, opened)}${pagingLinks(view, { limit: most, page: shown, held: opened.total, rows: opened.items })}`,
      };
    },
  });
