import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Price } from '../../base/config/setting-readers.ts';
import { commandText } from '../../base/installation.ts';
import type { PipelineState } from '../../run/pipeline/pipeline-state.ts';
import { RefusedError } from '../http/problems.ts';
import { limit, page } from '../request/parameters.ts';
import { pagingLinks } from './data-table.ts';
import type { Html } from './html.ts';
import { emptyState, notice } from './marks.ts';
import { type PageDeps, pageRoute } from './page-route.ts';
import { linkAt, type PageView } from './page-view.ts';
import { quotaSection } from './pipeline-quota.ts';
import { openedRunSection, runsTable, runsTimeline } from './pipeline-runs.ts';
import {
  conditionsSection,
  forecastsSection,
  parquetSection,
  pipelineTiles,
  sourcesSection,
  troubleSections,
  volumesSection,
} from './pipeline-sections.ts';

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
