import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { creatorSubject } from '../../alerts/events/subject-url.ts';
import { isoOf } from '../../base/iso.ts';
import { foldHandle, plainHandle } from '../../base/wire/folding.ts';
import type { CountedCreator } from '../../lake/lists/creator-lists.ts';
import type { CreatorProfile, CreatorSnapshot } from '../../lake/read/shown-profile.ts';
import { RefusedError } from '../http/problems.ts';
import { handlePath, platformPath } from '../request/parameters.ts';
import { CHART_SCRIPTS, type ChartPoint, chart, hasLine } from './chart.ts';
import { gained } from './creators-page.ts';
import { type Column, downloadLinks, fileColumn, showing } from './data-table.ts';
import {
  change,
  count,
  digits,
  direction,
  fact,
  PLATFORM_NAMES,
  platformLink,
  rate,
  shownRateOf,
  sinceText,
} from './figures.ts';
import { followSection } from './follow.ts';
import { type Html, NOTHING } from './html.ts';
import { listRoute, listSection } from './list-route.ts';
import { type PageDeps, type PageRequest, requesterOf } from './page-route.ts';
import { linkTo, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';
import { videoColumns } from './video-columns.ts';

const facts = (profile: CreatorProfile, rise: CountedCreator | undefined): Html => {
  const known = rise?.gainedPerDay ?? null;
  return html`<dl class="facts">${fact('followers', count(profile.followers))}${fact('gained per day', html`<span class="${direction(known)}">${gained(known)}</span>`)}${fact('in 7 to 14 days', html`<span class="${direction(rise?.change)}">${change(rise?.change)}</span>`)}${fact('videos', count(profile.videoCount))}${fact('views', count(profile.views))}${fact('likes', count(profile.likes))}${fact('engagement', rate(shownRateOf({ ...profile, views: profile.views ?? Number.MAX_SAFE_INTEGER })))}</dl>`;
};

/** Columns of the downloaded follower counts. */
const FOLLOWER_COLUMNS: readonly Column<CreatorSnapshot>[] = [
  fileColumn('observed_at', 'TIMESTAMP_MILLIS', ({ at }) => at),
  fileColumn('followers', 'INT64', ({ followers }) => followers),
  fileColumn('views', 'INT64', ({ views }) => views),
  fileColumn('likes', 'INT64', ({ likes }) => likes),
];

interface CreatorPath {
  readonly platform: Platform;
  readonly handle: string;
}

type CreatorRequest = Pick<PageRequest<CreatorPath, unknown>, 'params' | 'view' | 'moment'>;

const creatorQuery = ({ platform, handle }: CreatorPath, { at }: PageView) => ({
  platform,
  handle: plainHandle(handle),
  asOf: at,
});

/** `/creators/{platform}/{handle}`: one creator's followers over time and videos. */
export const creatorPage = (deps: PageDeps): void => {
  const { service } = deps;
  const columns = showing(videoColumns({ lake: service.lake }), [
    'rank',
    'title',
    'growth',
    'views',
    'likes',
    'engagement_rate',
    'created_at',
  ]);
  const find = async ({ params, view, moment }: CreatorRequest) => {
    const wanted = creatorQuery(params, view);
    const { reads } = service;
    const found = await reads.read('creator', wanted, requesterOf(moment));
    const { profile, rise } = found;
    if (profile === undefined)
      throw new RefusedError(
        'not-found',
        `No creator "${wanted.handle}" on ${wanted.platform} in the lake as of ${isoOf(view.at)}.`,
      );
    return { profile, rise };
  };
  listRoute(deps, {
    path: '/creators/{platform}/{handle}',
    params: { platform: platformPath, handle: handlePath },
    columns,
    list: ({ params, view, moment }) => {
      const wanted = creatorQuery(params, view);
      return async (paging) => {
        const { total, items } = await service.reads.read(
          'creatorVideos',
          { ...wanted, ...paging },
          requesterOf(moment),
        );
        return { rows: items, held: total, head: undefined };
      };
    },
    fileName: ({ params }) => `videos-${params.platform}`,
    tables: {
      followers: (wanted) =>
        tableFiles('followers', FOLLOWER_COLUMNS, async () => (await find(wanted)).profile.growth),
    },
    make: async (request, shown) => {
      const { params, view } = request;
      const wanted = creatorQuery(params, view);
      const { profile, rise } = await find(request);
      const points = profile.growth.map(({ at, followers }): ChartPoint => [at, followers]);
      const counted =
        rise === undefined
          ? html`followers not counted yet`
          : html`followers counted ${sinceText(rise.observedAt, view.at)}`;
      const videos = listSection(view, shown, {
        heading: 'Videos',
        note: `${digits(shown.held)} in the lake, recent and popular ones first`,
        caption: 'Videos of the creator',
        none: 'The lake has no videos of this creator.',
      });
      return {
        title: profile.handle,
        about: html`<span><a href="${linkTo(view, '/creators', { platform: wanted.platform })}">${PLATFORM_NAMES[wanted.platform]}</a> creator, ${counted}</span>${platformLink(wanted.platform, creatorSubject(profile.handle, wanted.platform).url)}<a href="${linkTo(view, '/compare', { creators: `@${wanted.handle}`, platform: wanted.platform })}">compare</a>`,
        countedAt: rise?.observedAt ?? null,
        scripts: hasLine(points) ? CHART_SCRIPTS : [],
        main: html`<section class="growth"><div class="over"><h2>Followers</h2>${profile.growth.length === 0 ? NOTHING : downloadLinks(view, { what: 'the counts', table: 'followers' })}</div>${facts(profile, rise)}${chart({ points, names: ['followers'], unit: 'followers' })}</section>
${followSection(service.lake, view, { kind: 'creator', platform: wanted.platform, subject: foldHandle(wanted.handle) })}
${videos}`,
      };
    },
  });
};
