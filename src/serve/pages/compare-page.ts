import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { minuteOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import {
  COMPARED_LINES,
  type ComparedCreator,
  MOST_COMPARED,
} from '../../lake/read/compare-creators.ts';
import { compareNamed } from '../../lake/watches/resolve-subject.ts';
import { refusedParameters } from '../http/problems.ts';
import { instantOrSpan, platformQuery } from '../request/parameters.ts';
import { CHART_SCRIPTS } from './chart.ts';
import {
  comparedTable,
  comparedVideos,
  comparedVideosSections,
  namesIn,
  videosForm,
} from './compare-videos.ts';
import { type Column, downloadLinks, fileColumn, textInFiles } from './data-table.ts';
import { digits, PLATFORM_NAMES } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { lineChart } from './line-chart.ts';
import { hiddenLens, options, platformSelect } from './marks.ts';
import type { ParametersOf } from './page-parameters.ts';
import { type PageDeps, pageRoute } from './page-route.ts';
import { creatorPath, linkTo, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';

const SPANS = { '7d': '7 days', '30d': '30 days', '90d': '90 days', '366d': 'a year' };
const DEFAULT_DAYS = 90;

const COLUMNS: readonly Column<ComparedCreator>[] = [
  textInFiles('platform', ({ platform }) => platform),
  textInFiles('handle', ({ handle }) => handle),
  ...COMPARED_LINES.map(({ label, type, of }) => fileColumn(label, type, of)),
];

const QUERY = {
  creators: z.string().max(2000).optional(),
  videos: z.string().max(2000).optional(),
  platform: platformQuery,
  since: instantOrSpan,
};
type Wanted = ParametersOf<typeof QUERY>;

/** Start of the compared time, Unix ms. */
const startOf = ({ since }: Wanted, at: number): number =>
  typeof since === 'number' ? since : at - (since?.windowMs ?? DEFAULT_DAYS * DAY_MS);

const compared = (lake: Lake, query: Wanted, at: number): ComparedCreator[] => {
  const names = namesIn(query.creators ?? '');
  if (names.length > MOST_COMPARED)
    throw new UsageError(
      `The page compares up to ${MOST_COMPARED} creators. ${names.length} are given.`,
    );
  const platform = query.platform ?? null;
  return compareNamed(lake, names, { platform, since: startOf(query, at), at });
};

const form = (view: PageView, query: Wanted): Html => {
  const { creators = '', platform, since } = query;
  const chosen = typeof since === 'object' ? since.token : (view.query.since ?? '90d');
  const spans: [string, string][] = Object.entries(SPANS);
  if (!(chosen in SPANS)) spans.push([chosen, chosen]);
  return html`<section><form class="search" method="get" action="/compare">
<label class="grow"><span class="soft small">up to ${MOST_COMPARED} creators</span><input name="creators" value="${creators}" required maxlength="2000" placeholder="@handle, address of a profile"></label>
<label><span class="soft small">platform</span>${platformSelect('as known', platform)}</label>
<label><span class="soft small">videos of the last</span><select name="since">${options(spans, chosen)}</select></label>
${hiddenLens(view)}<button>compare</button></form></section>`;
};

const KINDS = ['main', 'c1', 'c2', 'c3', 'c4', 'c5'];
const nameOf = ({ handle, platform }: { handle: string; platform: Platform }): string =>
  `@${handle} (${PLATFORM_NAMES[platform]})`;

/** Followers gained since each creator's first count, over each other. */
const growth = (creators: readonly ComparedCreator[]): Html => {
  const lines = creators.map((creator, i) => ({
    name: nameOf(creator),
    kind: KINDS[i] ?? 'even',
    points: creator.growth.map(({ at, followers }) => ({
      x: at,
      y: followers - (creator.growth[0]?.followers ?? 0),
    })),
  }));
  return lines.every(({ points }) => points.length < 2)
    ? html`<p class="soft">No chart yet: it needs two follower counts of a creator.</p>`
    : lineChart({
        lines,
        label: `Followers gained by ${lines.map(({ name }) => name).join(', ')}`,
      });
};

const cell = (value: string | number | null): Html | string => {
  if (value === null || value === '') return html`<span class="soft">–</span>`;
  return typeof value === 'number' ? digits(value) : value;
};

const table = (view: PageView, query: Wanted, creators: readonly ComparedCreator[]): Html => {
  const names = namesIn(query.creators ?? '');
  return comparedTable(
    view,
    'creators',
    creators.map(({ platform, handle }, i) => ({
      name: `@${handle}`,
      path: creatorPath(platform, handle),
      id: names[i] ?? handle,
      beside: html` <span class="soft small">${PLATFORM_NAMES[platform]}</span>`,
    })),
    COMPARED_LINES.map(({ label, of }) => [label, creators.map((creator) => cell(of(creator)))]),
  );
};

const results = (view: PageView, query: Wanted, creators: readonly ComparedCreator[]): Html =>
  html`<section><div class="over"><h2>Figures <span class="soft small">videos published since ${minuteOf(startOf(query, view.at))}</span></h2>${downloadLinks(view, { what: 'one row per creator' })}</div>
${table(view, query, creators)}</section>
<section><h2>Followers gained <span class="soft small">since the first count of each creator in this time</span></h2>${growth(creators)}</section>`;

/** `/compare`: creators, or videos with `videos`, side by side with their growth over each other. */
export const comparePage = (deps: PageDeps): void => {
  const { lake } = deps.service;
  pageRoute(deps, {
    path: '/compare',
    query: QUERY,
    files: ({ query, view }) =>
      tableFiles('compare', COLUMNS, async () => {
        try {
          return compared(lake, query, view.at);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          throw refusedParameters('query', [{ path: ['creators'], message: error.message }]);
        }
      }),
    make: ({ query, view }) => {
      const { videos } = query;
      const framed = {
        title: videos === undefined ? 'Compare creators' : 'Compare videos',
        about: html`<a href="${linkTo(view, '/compare', videos === undefined ? { videos: '' } : {})}">compare ${videos === undefined ? 'videos' : 'creators'}</a>`,
        scripts: videos === undefined ? [] : CHART_SCRIPTS,
      };
      const inputs = videos === undefined ? form(view, query) : videosForm(view, videos);
      const draw = (): Html => {
        if (videos !== undefined) {
          const found = comparedVideos(lake, videos, view.at);
          return found.length === 0 ? NOTHING : comparedVideosSections(view, found);
        }
        const creators = compared(lake, query, view.at);
        return creators.length === 0 ? NOTHING : results(view, query, creators);
      };
      try {
        return { ...framed, main: html`${inputs}${draw()}` };
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const message = html`<p class="notice down" role="alert">${error.message}</p>`;
        return { ...framed, main: html`${message}${inputs}` };
      }
    },
  });
};
