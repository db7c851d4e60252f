import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { creatorSubject } from '../../events/subject-url.ts';
import { creatorRise, type ListedCreator } from '../../history/creator-lists.ts';
import {
  type CreatorProfile,
  creatorProfile,
  creatorVideos,
} from '../../history/creator-profile.ts';
import { isoOf } from '../../iso.ts';
import type { ContentItem } from '../../wire/shapes.ts';
import { handlePath, platformPath } from '../parameters.ts';
import { RefusedError } from '../problems.ts';
import { CHART_ASSETS, type ChartPoint, chart, hasLine } from './chart.ts';
import { gained } from './creator-columns.ts';
import {
  dataTable,
  downloadLinks,
  type Listed,
  pagingLinks,
  showing,
  shownPart,
  wholeOf,
} from './data-table.ts';
import { change, count, digits, direction, PLATFORM_NAMES, rate, since } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { emptyState } from './marks.ts';
import { type PageDeps, pageRoute, tableParameters } from './page-route.ts';
import { linkTo, type PageView } from './page-view.ts';
import { platformLink } from './platform-link.ts';
import { tableFiles } from './table-files.ts';
import { timelinesOf } from './timelines.ts';
import { videoColumns } from './video-columns.ts';

const fact = (name: string, value: Html | string): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

const facts = (profile: CreatorProfile, rise: ListedCreator | undefined): Html => {
  const known = rise?.gainedPerDay ?? null;
  return html`<dl class="facts">${fact('followers', count(profile.followers))}${fact('gained a day', html`<span class="${direction(known)}">${gained(known)}</span>`)}${fact('in a week', html`<span class="${direction(rise?.change)}">${change(rise?.change)}</span>`)}${fact('videos', count(profile.videoCount))}${fact('views', count(profile.views))}${fact('likes', count(profile.likes))}${fact('engagement', rate(profile.engagementRate))}</dl>`;
};

const pointsOf = ({ growth }: CreatorProfile): ChartPoint[] =>
  growth.map(({ at, followers }) => [at, followers]);

/** `/creators/{platform}/{handle}`: one creator, its followers over time, its videos. */
export const creatorPage = (deps: PageDeps): void => {
  const { service } = deps;
  const { lake } = service;
  const columnsFor = (view: PageView) =>
    showing(videoColumns({ view, timelineOf: timelinesOf(service, view.at) }), [
      ...['rank', 'title', 'growth', 'views', 'likes', 'engagement_rate', 'created_at'],
    ]);
  const videosOf =
    (asked: { platform: Platform; handle: string; asOf: number }): Listed<ContentItem, undefined> =>
    async (paging) => {
      const { total, items } = creatorVideos(lake, { ...asked, ...paging });
      return { rows: items, held: total, head: undefined };
    };
  const named = (written: string): string => written.replace(/^@/, '');
  pageRoute(deps, {
    path: '/creators/{platform}/{handle}',
    params: z.object({ platform: platformPath, handle: handlePath }),
    query: z.object(tableParameters(columnsFor({} as PageView))),
    make: async ({ params, query, view }) => {
      const asked = { platform: params.platform, handle: named(params.handle), asOf: view.at };
      const profile = creatorProfile(lake, { ...asked, limit: 1 });
      if (profile === undefined)
        throw new RefusedError(
          'not-found',
          `No creator "${asked.handle}" had been seen on ${asked.platform} by ${isoOf(view.at)}.`,
        );
      const rise = creatorRise(lake, asked);
      const points = pointsOf(profile);
      const columns = columnsFor(view);
      const shown = await shownPart(videosOf(asked), columns, query);
      const counted =
        rise === undefined
          ? html`followers never counted`
          : html`followers counted ${since(rise.observedAt, view.at)}`;
      return {
        title: profile.handle,
        about: html`<span><a href="${linkTo(view, '/creators', { platform: asked.platform })}">${PLATFORM_NAMES[asked.platform]}</a> creator, ${counted}</span>${platformLink(asked.platform, creatorSubject(profile.handle, asked.platform).url)}`,
        windowsMs: [],
        assets: hasLine(points) ? CHART_ASSETS : [],
        main: html`<section class="growth"><h2>Followers</h2>${facts(profile, rise)}${chart({ points, names: ['followers'], unit: 'followers' })}</section>
<section><div class="over"><h2>Videos <span class="soft small">${digits(shown.held)} that the lake holds; young and large ones first</span></h2>${shown.held === 0 ? NOTHING : downloadLinks(view)}</div>
${shown.held === 0 ? emptyState(view, 'The lake holds no video of this creator.') : html`${dataTable(view, columns, shown.rows, { caption: 'Videos of the creator', sort: query.sort })}${pagingLinks(view, shown)}`}</section>`,
      };
    },
    files: ({ params, query, view }) => {
      const columns = columnsFor(view);
      const asked = { platform: params.platform, handle: named(params.handle), asOf: view.at };
      return tableFiles(`videos-${asked.platform}`, columns, async () => {
        return (await wholeOf(videosOf(asked), columns, query.sort)).rows;
      });
    },
  });
};
