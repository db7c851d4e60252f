import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { etag } from 'hono/etag';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../durations.ts';
import { growthCurve } from '../../history/growth-curve.ts';
import { hashtagsPage } from '../../history/hashtag-list.ts';
import { timeline, videoByIdAsOf, videoRecord } from '../../history/timeline.ts';
import { feedPage, trendsPage } from '../../history/video-lists.ts';
import { parseIso } from '../../iso.ts';
import { momentOf, type ServiceApp, type ServiceContext, type ServiceEnv } from '../context.ts';
import { CHART_SCRIPT } from '../pages/chart-script.ts';
import { type DashboardData, dashboardPage } from '../pages/dashboard.ts';
import { referencePage, type ShownDocument } from '../pages/reference.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'",
  'cache-control': 'no-store',
};

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
  };
};

/** How a listed video grew; no looks where the lake knows it from the list only. */
const timelineOf = (service: ServiceContext, id: string, now: number) => {
  const found = videoByIdAsOf(service.lake, id, now);
  return found === undefined ? [] : timeline(service.lake, found.key, now);
};

const DAY = { dateRange: '24h', windowMs: DAY_MS, page: 1 };
const MONTH = { dateRange: '30d', windowMs: 30 * DAY_MS, page: 1 };

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

const dataFor = async (service: ServiceContext, c: Context<ServiceEnv>): Promise<DashboardData> => {
  const { lists } = service.reads;
  const written = c.req.query('asOf');
  const instant = written === undefined ? undefined : parseIso(written);
  const moment = momentOf(service, c, instant);
  const { asOf } = moment;
  const platform = await platformFor(service, c.req.query('platform'), moment);
  const [feed, trends, hashtags] = await Promise.all([
    feedPage(lists, { ...moment, ...DAY, platform, limit: 20 }),
    trendsPage(lists, { ...moment, platform, period: 'week', limit: 10, page: 1 }),
    hashtagsPage(lists, { ...moment, ...MONTH, limit: 15 }),
  ]);
  const [videos, trending] = [feed.items(), trends.items()];
  return {
    platform,
    now: asOf,
    asked: instant === undefined ? undefined : written,
    unread: instant === undefined && written !== '' ? written : undefined,
    newestLook: service.changes.newestSnapshot(asOf),
    feed: {
      ...feed,
      videos: videos.map((item) => ({ item, timeline: timelineOf(service, item.id, asOf) })),
    },
    trends: { ...trends, items: trending },
    hashtags: hashtags.items(),
    video: growthOf(service, c.req.query('video') ?? videos[0]?.id ?? trending[0]?.id, asOf),
  };
};

/** The dashboard at `/`, the reference at `/docs`, and what they load. Need no key. */
export const pageRoutes = (
  app: ServiceApp,
  service: ServiceContext,
  document: () => string,
): void => {
  app.get('/', async (c) => c.html(dashboardPage(await dataFor(service, c)), 200, HEADERS));
  app.get('/docs', (c) =>
    c.html(
      referencePage(JSON.parse(document()) as ShownDocument, new URL(c.req.url).origin),
      200,
      HEADERS,
    ),
  );
  app.use('/assets/*', etag());
  for (const [name, { type, text }] of Object.entries(ASSETS))
    app.get(`/assets/${name}`, (c) =>
      c.body(text(), 200, {
        'content-type': `${type}; charset=utf-8`,
        'cache-control': 'no-cache', // kept, but asked about: a script belongs to its page
      }),
    );
};
