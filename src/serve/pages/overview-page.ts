import { html } from 'hono/html';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, MINUTE_MS } from '../../base/durations.ts';
import { commandText } from '../../base/installation.ts';
import type { ContentItem, HashtagItem } from '../../base/wire/shapes.ts';
import { diffLists } from '../../lake/lists/list-diff.ts';
import type { ListPage } from '../../lake/lists/list-page.ts';
import { originOf } from '../../lake/origin.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import { videosOfTag } from '../../lake/watches/tag-lens.ts';
import type { RisingVideo } from '../../learn/forecast/shapes.ts';
import type { ServiceContext } from '../request/context.ts';
import { platformQuery } from '../request/parameters.ts';
import { dataTable, ranked, showing } from './data-table.ts';
import { eventLines } from './event-cards.ts';
import { ago, change, digits, likely, number, overIn, pace, tile } from './figures.ts';
import { HASHTAG_COLUMNS, tagLimits } from './hashtags-page.ts';
import type { Html } from './html.ts';
import { nothingOfTag } from './list-route.ts';
import { emptyState, listOrigin } from './marks.ts';
import { type OverviewContent, readOverview } from './overview-content.ts';
import { type PageDeps, pageRoute } from './page-route.ts';
import { hashtagPath, instantText, linkTo, type PageView, videoPath } from './page-view.ts';
import { platformTabs } from './tabs.ts';
import { videoCell, videoColumns } from './video-columns.ts';

const TAGS_SHOWN = 15;
const NONE = 'No videos in this window. Try another platform or time.';

/** Hashtags with fewer videos are not named as rising. */
const FEWEST_VIDEOS = 20;

const risingOf = (tags: readonly HashtagItem[]): HashtagItem | undefined =>
  tags
    .filter((tag) => (tag.change ?? 0) > 0 && (tag.volume ?? 0) >= FEWEST_VIDEOS)
    .toSorted((a, b) => (b.change ?? 0) - (a.change ?? 0))[0];

/** Entries and exits of the 24 h feed in a day; of a tag's videos only, with one. */
const changedTile = ({ lake }: ServiceContext, view: PageView, platform: Platform): Html => {
  const { tag } = view.query;
  const span = { from: view.at - DAY_MS, to: view.at, list: 'feed', platform };
  const diff = diffLists(lake, span).find(({ period }) => period === '24h');
  if (diff === undefined) return tile('new since yesterday', '–', 'needs two pulls of the feed');
  const covers = tag === undefined ? () => true : videosOfTag(lake, tag);
  const [entered, left] = [diff.entered, diff.left].map((moves) => moves.filter(covers).length);
  const address = linkTo(view, '/diff', { list: 'feed', platform, from: '24h' });
  return tile(
    'new since yesterday',
    `${digits(entered ?? 0)} in the feed`,
    html`${digits(left ?? 0)} left it · <a href="${address}">all changes</a>`,
  );
};

const tiles = (service: ServiceContext, view: PageView, shown: OverviewContent): Html => {
  const { platform, feed, tags, next } = shown;
  const fastest = feed.items.toSorted((a, b) => (b.velocity ?? 0) - (a.velocity ?? 0))[0];
  const rising = risingOf(tags);
  const [likeliest] = next;
  const isLate = feed.pulledAt === null || !view.isFresh('feed', feed.pulledAt);
  const running = isLate
    ? html`<span class="down">late</span>`
    : html`<span class="up">on time</span>`;
  return html`<dl class="tiles">
    ${changedTile(service, view, platform)}
    ${tile('fastest now', pace(fastest?.velocity) || '–', fastest === undefined ? '' : html`<a dir="auto" href="${linkTo(view, videoPath(fastest.id))}">${fastest.title || fastest.user || fastest.id}</a>`)}
    ${tile('next on top', likeliest === undefined ? '–' : likely(likeliest.topProbability), likeliest === undefined ? 'no forecast yet' : html`<a dir="auto" href="${linkTo(view, videoPath(likeliest.id))}">${likeliest.title || likeliest.id}</a>`)}
    ${tile('rising fastest, 30 d', rising === undefined ? '–' : html`<a dir="auto" title="#${rising.tag}" href="${linkTo(view, hashtagPath(rising.tag))}">#${rising.tag}</a>`, rising === undefined ? 'no change known yet' : `${change(rising.change)}, of ${tags.length} tags`)}
    ${tile('pulls', feed.pulledAt === null ? '–' : running, html`<a href="${linkTo(view, '/pipeline')}">${feed.pulledAt === null ? 'this list was never pulled' : `feed pulled ${ago(feed.pulledAt, view.at)}`}</a>`)}
  </dl>`;
};

const nothing = (view: PageView): Html =>
  view.query.tag === undefined ? emptyState(view, NONE) : nothingOfTag(view, view.query.tag);

const nextTable = (view: PageView, next: readonly RisingVideo[]): Html =>
  next.length === 0 && view.query.tag !== undefined
    ? nothingOfTag(view, view.query.tag)
    : next.length === 0
      ? html`<p class="soft">No forecasts yet: too few growth curves are finished. <code>${commandText('status')}</code> shows how many are needed.</p>`
      : html`<div class="scroll"><table class="data"><caption class="unseen">Videos not yet in the top 10 % by growth that will likely get there</caption><thead><tr><th scope="col">video</th><th scope="col" class="n">top 10 %</th><th scope="col" class="n">+24 h</th><th scope="col" class="n">likely over</th></tr></thead><tbody>${next.map(
          (
            video,
          ) => html`<tr><td>${videoCell(view, video)}</td><td class="n">${likely(video.topProbability)}</td>
  <td class="n">${number(video.gain24h)}</td><td class="n">${overIn(video.overBy, view.at)}</td></tr>`,
        )}</tbody></table></div>`;

const eventsList = (view: PageView, { events }: OverviewContent): Html =>
  events.length === 0
    ? html`<p class="soft">No events ${view.query.tag === undefined ? 'on this platform' : 'of this tag'} by then.</p>`
    : eventLines(view, events);

const tagsNote = (tags: readonly HashtagItem[]): string => {
  const { isSampled, hasNoChange } = tagLimits(tags);
  return `30 d, all platforms${isSampled ? ' · counted from videos in the lake' : ''}${hasNoChange ? ' · change not known yet' : ''}`;
};

const tagTable = (view: PageView, tags: readonly HashtagItem[]): Html => {
  const rows = ranked(tags.slice(0, TAGS_SHOWN), { page: 1, limit: TAGS_SHOWN });
  if (rows.length === 0) return nothing(view);
  const columns = showing(HASHTAG_COLUMNS, ['tag', 'volume', 'change']);
  return dataTable(view, columns, rows, { caption: 'Hashtags by volume' });
};

const listSection = (
  view: PageView,
  page: ListPage<ContentItem>,
  {
    name,
    address,
    columns,
  }: { name: string; address: string; columns: ReturnType<typeof videoColumns> },
): Html => html`<section><h2><a href="${address}">${name}</a> <span class="soft small">${listOrigin(page.pulledAt, view.at)}${page.held < page.total ? html` · ${number(page.held)} of ${number(page.total)} matching` : ''}</span></h2>
${page.total === 0 ? nothing(view) : dataTable(view, columns, page.items, { caption: name })}</section>`;

const main = (service: ServiceContext, view: PageView, shown: OverviewContent): Html => {
  const { platform, feed, trends, tags, next } = shown;
  const full = videoColumns({ lake: service.lake });
  const lists = linkTo(view, `/trends/${platform}`);
  return html`${tiles(service, view, shown)}
<div class="grid"><div class="stack">
${listSection(view, feed, { name: 'Feed, 24 h', address: lists, columns: showing(full, ['rank', 'title', 'growth', 'views', 'velocity']) })}
<section><h2><a href="${linkTo(view, '/events', { platform })}">Events</a></h2>${eventsList(view, shown)}</section>
</div><div class="stack">
<section><h2><a href="${linkTo(view, '/forecasts', { platform })}">Next</a> <span class="soft small">most likely to finish in the top 10 % of growth</span></h2>${nextTable(view, next)}</section>
${listSection(view, trends, { name: 'Trending this week', address: linkTo(view, `/trends/${platform}`, { list: 'week' }), columns: showing(full, ['rank', 'title', 'views', 'velocity']) })}
<section><h2><a href="${linkTo(view, '/hashtags')}">Hashtags</a> <span class="soft small">${tagsNote(tags)}</span></h2>${tagTable(view, tags)}</section>
</div></div>`;
};

/** Age of the newest count from which an import is shown as of its end. */
const ENDED_MS = 2 * DAY_MS;

/** Address of the overview at the end of a lake that was imported, as today's windows of it are empty. */
const endOfImport = (
  { lake, now: clock }: ServiceContext,
  given: Readonly<Record<string, string>>,
): string | undefined => {
  if (given.asOf !== undefined || originOf(lake) !== undefined) return undefined;
  const now = clock();
  const newest = newestSnapshotAt(lake, now);
  if (newest === null || now - newest < ENDED_MS) return undefined;
  return `/?${new URLSearchParams({ ...given, asOf: instantText(newest + MINUTE_MS) })}`;
};

/**
 * `/`: feed, trends, forecasts and events of one platform, and the hashtags of all. The old parameter
 * `video` redirects to the video's page.
 */
export const overviewPage = (deps: PageDeps): void =>
  pageRoute(deps, {
    path: '/',
    query: { platform: platformQuery },
    leadsTo: ({ video, ...given }) => {
      if (video === undefined) return endOfImport(deps.service, given);
      const { asOf } = given;
      return `${videoPath(video)}${asOf === undefined ? '' : `?${new URLSearchParams({ asOf })}`}`;
    },
    make: async ({ query, view, moment }) => {
      const { service } = deps;
      const shown = await readOverview(
        service,
        { platform: query.platform, tag: view.query.tag },
        moment,
      );
      return {
        title: 'Overview',
        about: platformTabs(view, shown.platform),
        pulledAt: shown.feed.pulledAt,
        pulledBy: 'feed',
        main: main(service, view, shown),
      };
    },
  });
