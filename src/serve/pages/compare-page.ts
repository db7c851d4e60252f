import { z } from '@hono/zod-openapi';
import { html, raw } from 'hono/html';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import { type ComparedCreator, MOST_COMPARED } from '../../lake/read/compare-creators.ts';
import { COMPARED_LINES, type ComparedLine } from '../../lake/read/compared-lines.ts';
import { dateRange, platformQuery } from '../request/parameters.ts';
import { CHART_ASSETS, type ChartPoint, chart, hasLine } from './chart.ts';
import { fileColumn } from './column-kinds.ts';
import { type Column, downloadLinks } from './data-table.ts';
import { digits, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { notice } from './marks.ts';
import { type PageDeps, type PageRequest, pageRoute, requesterOf } from './page-route.ts';
import { creatorPath, linkTo, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';

const handles = z
  .string()
  .max(600)
  .optional()
  .transform((text) => [
    ...new Set((text ?? '').split(/[\s,]+/).flatMap((name) => plainHandle(name) || [])),
  ])
  .refine((names) => names.length <= MOST_COMPARED, {
    error: `Expected at most ${MOST_COMPARED} handles.`,
  });
const span = dateRange('90d');

interface Wanted {
  readonly handles: readonly string[];
  readonly platform?: Platform | undefined;
  readonly dateRange: { readonly token: string; readonly windowMs: number };
}

const form = (view: PageView, { handles: names, platform, dateRange: range }: Wanted): Html =>
  html`<form class="search" method="get" action="/compare">
  <label class="grow"><span class="soft small">2 to ${MOST_COMPARED} handles</span><input name="handles" value="${names.map((name) => `@${name}`).join(' ')}" placeholder="@maker @cook" maxlength="600" required></label>
  <label><span class="soft small">platform</span><select name="platform">${PLATFORMS.map((name) => html`<option value="${name}"${name === platform ? raw(' selected') : ''}>${PLATFORM_NAMES[name]}</option>`)}</select></label>
  <label><span class="soft small">videos published within</span><select name="dateRange">${['30d', '90d', '366d'].map((token) => html`<option${token === range.token ? raw(' selected') : ''}>${token}</option>`)}</select></label>
  ${view.isPast ? html`<input type="hidden" name="asOf" value="${new Date(view.at).toISOString()}">` : NOTHING}<button>compare</button></form>`;

const shown = (value: number | string | null): string =>
  value === null || value === '' ? '–' : typeof value === 'number' ? digits(value) : value;

const table = (view: PageView, creators: readonly ComparedCreator[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="Comparison"><table class="data"><caption class="unseen">Creators side by side</caption><thead><tr><th scope="col">figure</th>${creators.map(({ platform, handle }) => html`<th scope="col" class="n"><a dir="auto" href="${linkTo(view, creatorPath(platform, handle))}">@${handle}</a></th>`)}</tr></thead><tbody>${COMPARED_LINES.map(
    ([label, value]: ComparedLine) =>
      html`<tr><th scope="row">${label}</th>${creators.map((creator) => html`<td class="n">${shown(value(creator))}</td>`)}</tr>`,
  )}</tbody></table></div>`;

/** Followers of all creators at each instant at which one was counted. */
const pointsOf = (creators: readonly ComparedCreator[]): ChartPoint[] => {
  const counts = creators.map(
    ({ growth }) => new Map(growth.map(({ at, followers }) => [at, followers])),
  );
  const instants = [...new Set(counts.flatMap((of) => [...of.keys()]))].sort((a, b) => a - b);
  return instants.map((at): ChartPoint => [at, ...counts.map((of) => of.get(at) ?? null)]);
};

const FILE_COLUMNS: readonly Column<ComparedCreator>[] = [
  fileColumn('platform', 'UTF8', ({ platform }) => platform),
  fileColumn('handle', 'UTF8', ({ handle }) => handle),
  ...COMPARED_LINES.map(([label, value]) =>
    fileColumn<ComparedCreator>(
      label.replaceAll(/[^a-z0-9]+/gi, '_').toLowerCase(),
      'UTF8',
      (creator) => {
        const figure = value(creator);
        return figure === null ? null : String(figure);
      },
    ),
  ),
];

/** `/compare`: creators side by side. */
export const comparePage = (deps: PageDeps): void => {
  const read = async ({ query, view, moment }: PageRequest<object, Wanted>) => {
    const { handles: names, platform = 'tiktok', dateRange: range } = query;
    const since = view.at - range.windowMs;
    const of = names.map((handle) => ({ platform, handle, since, at: view.at }));
    const found =
      names.length === 0
        ? []
        : await deps.service.reads.forPage({ name: 'compare', query: of }, requesterOf(moment));
    return {
      creators: found.filter((creator) => creator !== null),
      unknown: names.filter((_, index) => found[index] === null),
    };
  };
  pageRoute(deps, {
    path: '/compare',
    params: z.object({}),
    query: z.object({ handles, platform: platformQuery, dateRange: span }),
    make: async (request) => {
      const { query, view } = request;
      const { creators, unknown } = await read(request);
      const points = pointsOf(creators);
      const names = creators.map(({ handle }) => `@${handle}`);
      return {
        title: 'Compare creators',
        windowsMs: [query.dateRange.windowMs],
        assets: hasLine(points) ? CHART_ASSETS : [],
        main: html`${form(view, query)}${unknown.map((name) => notice(html`The lake knows no creator <bdi>@${name}</bdi> on ${PLATFORM_NAMES[query.platform ?? 'tiktok']}. <a href="${linkTo(view, '/watching')}">Follow</a> the creator to have its videos counted.`))}
${
  creators.length === 0
    ? html`<p class="soft">Name two or more creators of one platform. Figures are of their videos in the lake.</p>`
    : html`<section><div class="over"><h2>Side by side</h2>${downloadLinks(view, { what: 'the figures' })}</div>${table(view, creators)}</section>
<section id="growth"><h2>Followers</h2>${chart({ points, names, unit: 'followers' })}</section>`
}`,
      };
    },
    files: (request) =>
      tableFiles('compare', FILE_COLUMNS, async () => (await read(request)).creators),
  });
};
