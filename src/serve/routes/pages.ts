import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { etag } from 'hono/etag';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { risingVideos, shownForecast } from '../../forecast/read.ts';
import { growthCurve } from '../../history/growth-curve.ts';
import { hashtagsPage } from '../../history/hashtag-list.ts';
import { timeline, videoByIdAsOf, videoRecord } from '../../history/timeline.ts';
import { feedPage, trendsPage } from '../../history/video-lists.ts';
import { parseIso } from '../../iso.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { type MadePage, Page } from '../cache/page-cache.ts';
import { momentOf, type ServiceApp, type ServiceContext, type ServiceEnv } from '../context.ts';
import { CHART_SCRIPT } from '../pages/chart-script.ts';
import { type DashboardData, dashboardPage } from '../pages/dashboard.ts';
import { PAGE_HEADERS } from '../pages/page-headers.ts';
import { referencePage, type ShownDocument } from '../pages/reference.ts';
import { acceptsGzip } from '../written-response.ts';

const uplotFile = (name: string): string =>
  readFileSync(new URL(name, import.meta.resolve('uplot')), 'utf8');

/** Scripts and styles of the pages, read from the package when first asked for. */
const ASSETS: Readonly<Record<string, { type: string; text: () => string }>> = {
  'uplot.js': { type: 'text/javascript', text: () => uplotFile('uPlot.iife.min.js') },
  'uplot.css': { type: 'text/css', text: () => uplotFile('uPlot.min.css') },
  'chart.js': { type: 'text/javascript', text: () => CHART_SCRIPT },
};

const growthOf = (service: ServiceContext, id: string | undefined, now: number) => {
  const found = id === undefined ? undefined : videoByIdAsOf(service.lake, id, now);
  if (found === undefined) return undefined;
  const points = timeline(service.lake, found.key, now);
  return {
    item: videoRecord(service.lake, found.key, now),
    timeline: points,
    curve: growthCurve(points),
    forecast: shownForecast(service.lake.sqlite, found.key, now),
  };
};

/** How a listed video grew; no snapshots where the lake knows it from the list only. */
const timelineOf = (service: ServiceContext, id: string, now: number) => {
  const found = videoByIdAsOf(service.lake, id, now);
  return found === undefined ? [] : timeline(service.lake, found.key, now);
};

const DAY = { dateRange: '24h', windowMs: DAY_MS, page: 1 };
const MONTH = { dateRange: '30d', windowMs: 30 * DAY_MS, page: 1 };

/** Windows that the lists of the dashboard look at. */
const WINDOWS_MS = [DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 60 * DAY_MS];
const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

type Moment = ReturnType<typeof momentOf>;

/** The platform asked for, else the first that has something to show. */
const platformFor = async (
  { reads: { lists } }: ServiceContext,
  asked: string | undefined,
  moment: Moment,
): Promise<Platform> => {
  const named = PLATFORMS.find((name) => name === asked);
  if (named !== undefined) return named;
  for (const platform of PLATFORMS) {
    const { total } = await feedPage(lists, { ...moment, ...DAY, platform, limit: 1 });
    if (total > 0) return platform;
  }
  return 'tiktok';
};

/** What a dashboard was asked to show. */
interface Shown {
  /** Read by a key, which in a browser is that of a session. */
  readonly isSignedIn: boolean;
  readonly platform: string | undefined;
  readonly video: string | undefined;
  /** The instant as written. */
  readonly written: string | undefined;
  /** That instant, Unix ms, to the minute: a page for every millisecond would be one for nobody else. */
  readonly instant: number | undefined;
}

const shownBy = ({ req, get }: Context<ServiceEnv>): Shown => {
  const written = req.query('asOf');
  const instant = written === undefined ? undefined : parseIso(written);
  return {
    isSignedIn: get('standing') !== undefined,
    platform: req.query('platform'),
    video: req.query('video'),
    written,
    instant: instant === undefined ? undefined : minuteOf(instant),
  };
};

const dataFor = async (
  service: ServiceContext,
  { written, instant, ...shown }: Shown,
  moment: Moment,
): Promise<DashboardData> => {
  const { lists } = service.reads;
  const { asOf } = moment;
  const platform = await platformFor(service, shown.platform, moment);
  const [feed, trends, hashtags] = await Promise.all([
    feedPage(lists, { ...moment, ...DAY, platform, limit: 20 }),
    trendsPage(lists, { ...moment, platform, period: 'week', limit: 10, page: 1 }),
    hashtagsPage(lists, { ...moment, ...MONTH, limit: 100 }),
  ]);
  const [videos, trending] = [feed.items(), trends.items()];
  const video = growthOf(service, shown.video ?? videos[0]?.id ?? trending[0]?.id, asOf);
  return {
    isSignedIn: shown.isSignedIn,
    platform,
    now: asOf,
    asked: instant === undefined ? undefined : written,
    unread: instant === undefined && written !== '' ? written : undefined,
    newestSnapshot: service.changes.newestSnapshot(asOf),
    unknownPlatform: shown.platform === platform ? undefined : shown.platform || undefined,
    unknownVideo: video === undefined ? shown.video || undefined : undefined,
    feed: {
      ...feed,
      held: feed.held(),
      videos: videos.map((item) => ({ item, timeline: timelineOf(service, item.id, asOf) })),
    },
    trends: { ...trends, items: trending },
    hashtags: hashtags.items(),
    next: risingVideos(service.lake.sqlite, { platform, hours: 24, at: asOf, limit: 8 }),
    video,
  };
};

/** The dashboard as a page, and until when it is that: its times are told to the minute. */
const dashboard = async (
  service: ServiceContext,
  shown: Shown,
  moment: Moment,
): Promise<MadePage> => {
  const version = lakeVersion(service.lake);
  const html = await dashboardPage(await dataFor(service, shown, moment));
  const isPast = shown.instant !== undefined && shown.instant === moment.asOf;
  const until = isPast
    ? Number.POSITIVE_INFINITY
    : Math.min(
        minuteOf(moment.asOf) + MINUTE_MS,
        service.changes.holdsUntil(moment.asOf, WINDOWS_MS),
      );
  return {
    page: new Page(String(html)),
    version: lakeVersion(service.lake) === version ? version : null,
    from: moment.asOf,
    until,
  };
};

const sendPage = (c: Context<ServiceEnv>, page: Page): Response => {
  const gzip = acceptsGzip(c.req.header('accept-encoding'));
  const encoding = gzip ? { 'content-encoding': 'gzip' } : undefined;
  const type = { 'content-type': 'text/html; charset=UTF-8', vary: 'Accept-Encoding, Cookie' };
  return new Response(page.bytes(gzip), { headers: { ...PAGE_HEADERS, ...type, ...encoding } });
};

/** What the pages are about beside the lake. */
export interface PagesAbout {
  /** The OpenAPI text. */
  readonly document: () => string;
  /** Where people reach the service. */
  readonly origin: () => string;
}

/** The dashboard at `/`, the reference at `/docs`, and what they load. */
export const pageRoutes = (
  app: ServiceApp,
  service: ServiceContext,
  { document, origin }: PagesAbout,
): void => {
  app.get('/', async (c) => {
    const shown = shownBy(c);
    const moment = momentOf(service, c, shown.instant);
    const page = await service.pages.page(
      JSON.stringify(shown),
      { version: lakeVersion(service.lake), at: service.now() },
      (unwanted) => dashboard(service, shown, { ...moment, gone: () => unwanted }),
      moment.gone(),
    );
    return sendPage(c, page);
  });
  let reference: Page | undefined;
  app.get('/docs', (c) => {
    reference ??= new Page(
      String(referencePage(JSON.parse(document()) as ShownDocument, origin())),
    );
    return sendPage(c, reference);
  });
  app.use('/assets/*', etag());
  for (const [name, { type, text }] of Object.entries(ASSETS))
    app.get(`/assets/${name}`, (c) =>
      c.body(text(), 200, {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-cache', // kept, but asked about: a script belongs to its page
      }),
    );
};
