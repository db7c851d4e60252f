import { readFileSync } from 'node:fs';
import { PageBytes } from '../cache/page-cache.ts';
import { CHART_SCRIPT } from '../pages/chart-script.ts';
import { creatorPage } from '../pages/creator-page.ts';
import { creatorsListPage } from '../pages/creators-page.ts';
import { eventsListPage } from '../pages/events-page.ts';
import { forecastsPage } from '../pages/forecasts-page.ts';
import { hashtagPage } from '../pages/hashtag-page.ts';
import { hashtagsListPage } from '../pages/hashtags-page.ts';
import { overviewPage } from '../pages/overview-page.ts';
import { type PageDeps, sendFixedPage } from '../pages/page-route.ts';
import { PAGE_SCRIPT } from '../pages/page-script.ts';
import { pipelinePage } from '../pages/pipeline-page.ts';
import { QUERY_SCRIPT } from '../pages/query-script.ts';
import { referencePage, type ShownDocument } from '../pages/reference.ts';
import { searchPageRoute } from '../pages/search-page.ts';
import { trendsPages } from '../pages/trends-page.ts';
import { TRY_SCRIPT } from '../pages/try-it.ts';
import { videoPage } from '../pages/video-page.ts';
import { fixedText } from '../request/fixed-text.ts';
import { liveRoute } from './live.ts';
import { queryRoutes } from './query.ts';

const uplotFile = (name: string): string =>
  readFileSync(new URL(name, import.meta.resolve('uplot')), 'utf8');

/** Scripts and styles of the pages, read from the package when first asked for. */
const ASSETS: Readonly<Record<string, { type: string; text: () => string }>> = {
  'uplot.js': { type: 'text/javascript', text: () => uplotFile('uPlot.iife.min.js') },
  'uplot.css': { type: 'text/css', text: () => uplotFile('uPlot.min.css') },
  'page.js': { type: 'text/javascript', text: () => PAGE_SCRIPT },
  'query.js': { type: 'text/javascript', text: () => QUERY_SCRIPT },
  'chart.js': { type: 'text/javascript', text: () => CHART_SCRIPT },
  'try-it.js': { type: 'text/javascript', text: () => TRY_SCRIPT },
};

/** Every page of the dashboard: each registers its own address behind the guard. */
const PAGES: readonly ((deps: PageDeps) => void)[] = [
  overviewPage,
  trendsPages,
  videoPage,
  creatorsListPage,
  creatorPage,
  hashtagsListPage,
  hashtagPage,
  eventsListPage,
  searchPageRoute,
  forecastsPage,
  pipelinePage,
  queryRoutes,
  liveRoute,
];

/** What the pages are about beside the lake. */
export interface PagesAbout {
  /** The OpenAPI text. */
  readonly document: () => string;
  /** Where people reach the service. */
  readonly origin: () => string;
}

/** The dashboard's pages, the reference at `/docs`, and what they load. */
export const pageRoutes = (deps: PageDeps, { document, origin }: PagesAbout): void => {
  const { app, guard } = deps;
  for (const page of PAGES) page(deps);
  let reference: PageBytes | undefined;
  app.get('/docs', guard, (c) => {
    reference ??= new PageBytes(
      String(referencePage(JSON.parse(document()) as ShownDocument, origin())),
    );
    return sendFixedPage(c, reference);
  });
  for (const [name, { type, text }] of Object.entries(ASSETS))
    app.get(`/assets/${name}`, fixedText(`${type}; charset=utf-8`, text));
};
