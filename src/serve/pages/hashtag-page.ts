import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { hashtagSubject } from '../../alerts/events/subject-url.ts';
import { DAY_MS, MINUTE_MS } from '../../base/durations.ts';
import { isoOf, minuteOf } from '../../base/iso.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { PulledHashtag } from '../../lake/lists/hashtag-list.ts';
import type { Lake } from '../../lake/open.ts';
import { required } from '../../lake/prepare.ts';
import {
  type HashtagVolumes,
  hashtagAsOf,
  type VolumeSeries,
} from '../../lake/read/hashtag-history.ts';
import {
  TAGGED_MOST,
  type TaggedCount,
  type TaggedPage,
  type TaggedQuery,
} from '../../lake/read/tagged-videos.ts';
import { prepared } from '../../lake/statements.ts';
import { RefusedError } from '../http/problems.ts';
import { CHART_SCRIPTS, type ChartPoint, chart, hasLine } from './chart.ts';
import {
  type Column,
  downloadLinks,
  fileColumn,
  type Listed,
  showing,
  shownList,
  textInFiles,
  wholeOf,
} from './data-table.ts';
import {
  ago,
  change,
  count,
  digits,
  direction,
  fact,
  number,
  PLATFORM_NAMES,
  platformLink,
} from './figures.ts';
import type { FramedPage } from './frame.ts';
import { type Html, NOTHING } from './html.ts';
import { listSection } from './list-route.ts';
import { notice, SAMPLED } from './marks.ts';
import { tableParameters } from './page-parameters.ts';
import { type PageDeps, type PageMoment, pageRoute, requesterOf } from './page-route.ts';
import { creatorPath, hashtagPath, linkAt, linkTo, type PageView } from './page-view.ts';
import { tableFiles } from './table-files.ts';
import { videoColumns } from './video-columns.ts';

const WINDOW = { token: '30d', ms: 30 * DAY_MS };
const COMPANIONS = 12;

const taggedAt = (hashtagKey: number, asOf: number): TaggedQuery => ({
  hashtagKey,
  asOf,
  from: asOf - WINDOW.ms,
});

/** Figures of the pulled list, else those counted from the lake, marked as sampled. */
const facts = (pulled: PulledHashtag | undefined, seen: TaggedCount): Html => {
  const mark = pulled === undefined ? html` ${SAMPLED}` : NOTHING;
  const { volume, views, platforms } = pulled?.item ?? seen;
  const known = pulled?.item.change ?? null;
  return html`<dl class="facts">${fact('videos, 30 d', html`${count(volume)}${mark}`)}${fact('views', html`${count(views)}${mark}`)}${fact('change', html`<span class="${direction(known)}">${change(known)}</span>`)}${pulled?.rank == null ? NOTHING : fact('rank', digits(pulled.rank))}${PLATFORMS.map(
    (name) =>
      fact(
        PLATFORM_NAMES[name],
        count(platforms.find(({ platform }) => platform === name)?.volume),
      ),
  )}</dl>`;
};

const pointsOf = ({ points }: VolumeSeries): ChartPoint[] =>
  points.map(({ at, all, parts }) => [at, all, ...PLATFORMS.map((name) => parts[name])]);

const LINES = ['all platforms', ...PLATFORMS.map((name) => PLATFORM_NAMES[name])];
const seriesName = ({ source, window }: VolumeSeries): string => {
  const over = window === null ? 'an unknown window' : window;
  const by = {
    hashtags: 'from the API',
    seen: 'counted from videos in the lake',
    import: 'imported',
  };
  return `videos over ${over}, ${source in by ? by[source as keyof typeof by] : source}`;
};

const volumesSection = (series: readonly VolumeSeries[]): Html => {
  const main = series[0];
  if (main === undefined)
    return html`<p class="soft">No pulled list reports its volume by then. The figures below are counted from videos in the lake.</p>`;
  const others = series.slice(1);
  return html`<h3>Volume over time <span class="soft small">${seriesName(main)}</span></h3>
${chart({ points: pointsOf(main), names: LINES, unit: 'videos' })}
${
  others.length === 0
    ? NOTHING
    : notice(
        `Not shown because they are not comparable: ${others.map((series) => `${digits(series.points.length)} points of ${seriesName(series)}`).join(', ')}.`,
      )
}`;
};

type StoredVolume = HashtagVolumes & Pick<VolumeSeries, 'source' | 'window'>;

/** Columns of the downloaded volumes. */
const VOLUME_COLUMNS: readonly Column<StoredVolume>[] = [
  fileColumn('observed_at', 'TIMESTAMP_MILLIS', ({ at }) => at),
  textInFiles('source', ({ source }) => source),
  textInFiles('window', ({ window }) => window),
  fileColumn('volume', 'INT64', ({ all }) => all),
  ...PLATFORMS.map((name) => fileColumn<StoredVolume>(name, 'INT64', ({ parts }) => parts[name])),
];

const beside = (view: PageView, { count: { volume }, tags, creators }: TaggedPage): Html => {
  const share = (videos: number): string => `${Math.round((100 * videos) / Math.max(1, volume))} %`;
  return html`<div class="columns halves"><section><h2>Used with ${SAMPLED}</h2>${
    tags.length === 0
      ? html`<p class="soft">Its videos have no other hashtags.</p>`
      : html`<div class="scroll"><table class="data"><caption class="unseen">Tags on the same videos</caption><thead><tr><th scope="col">hashtag</th><th scope="col" class="n">videos</th><th scope="col" class="n">share</th></tr></thead><tbody>${tags.map(
          ({ name, videos }) =>
            html`<tr><td><a class="one title" dir="auto" href="${linkTo(view, hashtagPath(name))}">#${name}</a></td><td class="n">${number(videos)}</td><td class="n">${share(videos)}</td></tr>`,
        )}</tbody></table></div>`
  }</section>
<section><h2>Top creators ${SAMPLED}</h2>${
    creators.length === 0
      ? html`<p class="soft">The creators of its videos are unknown.</p>`
      : html`<div class="scroll"><table class="data"><caption class="unseen">Creators who use it most</caption><thead><tr><th scope="col">creator</th><th scope="col" class="n">videos</th><th scope="col" class="n">views</th></tr></thead><tbody>${creators.map(
          ({ platform, name, videos, views }) =>
            html`<tr><td><a class="one title" dir="auto" href="${linkTo(view, creatorPath(platform, name))}">${name}</a><span class="soft small">${PLATFORM_NAMES[platform]}</span></td><td class="n">${number(videos)}</td><td class="n">${count(views)}</td></tr>`,
        )}</tbody></table></div>`
  }</section></div>`;
};

/** Page for an instant before the hashtag was seen. */
const unknownYet = (
  lake: Lake,
  view: PageView,
  { key, tag }: { readonly key: number; readonly tag: string },
): FramedPage => {
  const since = required(
    prepared(lake, 'select first_seen_at from hashtag where key = ?', 'number?').get(key),
  );
  const at = Math.ceil((since ?? view.now) / MINUTE_MS) * MINUTE_MS;
  return {
    title: `#${tag}`,
    main: html`<section><p class="empty">The lake knows this hashtag since ${minuteOf(at)}. <a href="${linkAt(view, at >= view.now ? undefined : at)}">See it as of then</a>.</p></section>`,
  };
};

/** `/hashtags/{tag}`: one hashtag's volume over time, related hashtags, creators and videos. */
export const hashtagPage = (deps: PageDeps): void => {
  const { service } = deps;
  const { lake } = service;
  const columns = showing(videoColumns({ lake: service.lake, isMixed: true }), [
    'title',
    'platform',
    'growth',
    'views',
    'likes',
    'engagement_rate',
    'created_at',
  ]);
  const find = (tag: string, at: number) => {
    const found = hashtagAsOf(lake, tag, at);
    if (found === undefined)
      throw new RefusedError('not-found', `No hashtag "${tag}" in the lake as of ${isoOf(at)}.`);
    return found;
  };
  const videosOf =
    (tagged: TaggedQuery, moment: PageMoment): Listed<ContentItem, TaggedPage> =>
    async (paging) => {
      const head = await service.reads.read(
        'tagged',
        { ...tagged, ...paging, companions: COMPANIONS },
        requesterOf(moment),
      );
      return { rows: head.items, held: head.count.volume, head };
    };
  const historyOf = (key: number, asOf: number, moment: PageMoment) =>
    service.reads.read('hashtag', { key, asOf, dateRange: WINDOW.token }, requesterOf(moment));
  pageRoute(deps, {
    path: '/hashtags/{tag}',
    params: { tag: z.string() },
    query: tableParameters(columns),
    make: async ({ params: { tag: written }, query, view, moment }) => {
      const known = hashtagAsOf(lake, written, view.now);
      if (known !== undefined && hashtagAsOf(lake, written, view.at) === undefined)
        return unknownYet(lake, view, known);
      const { key, tag } = find(written, view.at);
      const asOf = view.at;
      const tagged = taggedAt(key, asOf);
      const { pulled, series } = await historyOf(key, asOf, moment);
      const shown = await shownList(videosOf(tagged, moment), columns, query);
      const seen = shown.head.count;
      const links = PLATFORMS.map((name) => platformLink(name, hashtagSubject(tag, name).url));
      return {
        title: `#${tag}`,
        about: html`<span>${pulled === undefined ? 'counted from videos in the lake' : `pulled ${ago(pulled.pulledAt, asOf)}`}</span>${links}`,
        pulledAt: pulled?.pulledAt ?? null,
        pulledBy: 'hashtags',
        scripts: series[0] !== undefined && hasLine(pointsOf(series[0])) ? CHART_SCRIPTS : [],
        main: html`<section class="growth"><div class="over"><h2>Volume</h2>${downloadLinks(view, { what: 'the volumes' })}</div>${facts(pulled, seen)}${volumesSection(series)}</section>
${seen.isWhole ? NOTHING : notice(`More than ${digits(TAGGED_MOST)} videos use it. The figures below cover the newest ${digits(TAGGED_MOST)}.`)}
${beside(view, shown.head)}
${listSection(view, shown, {
  heading: 'Videos',
  note: `${digits(seen.volume)} in the lake in 30 d, most views first`,
  caption: 'Videos with the hashtag',
  none: 'No videos with this hashtag in the last 30 days.',
  total: seen.volume,
  table: 'videos',
})}`,
      };
    },
    tables: {
      videos: ({ params: { tag }, query, view, moment }) =>
        tableFiles('hashtag-videos', columns, async () => {
          const tagged = taggedAt(find(tag, view.at).key, view.at);
          return (await wholeOf(videosOf(tagged, moment), columns, query.sort)).rows;
        }),
    },
    files: ({ params: { tag }, view, moment }) =>
      tableFiles('hashtag-volumes', VOLUME_COLUMNS, async () => {
        const { series } = await historyOf(find(tag, view.at).key, view.at, moment);
        return series.flatMap(({ points, source, window }) =>
          points.map((point) => ({ ...point, source, window })),
        );
      }),
  });
};
