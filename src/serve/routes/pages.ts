import { readdirSync, readFileSync } from 'node:fs';
import { PageBytes } from '../cache/page-cache.ts';
import { refuseCrossOrigin } from '../http/sent-from.ts';
import { comparePage } from '../pages/compare-page.ts';
import { creatorPage } from '../pages/creator-page.ts';
import { creatorsListPage } from '../pages/creators-page.ts';
import { diffPage } from '../pages/diff-page.ts';
import { eventsListPage } from '../pages/events-page.ts';
import { forecastsPage } from '../pages/forecasts-page.ts';
import { hashtagPage } from '../pages/hashtag-page.ts';
import { hashtagsListPage } from '../pages/hashtags-page.ts';
import { overviewPage } from '../pages/overview-page.ts';
import { type PageDeps, sendPage } from '../pages/page-route.ts';
import { pipelinePage } from '../pages/pipeline-page.ts';
import { referencePage, type ShownDocument } from '../pages/reference.ts';
import { searchPageRoute } from '../pages/search-page.ts';
import { trendsPages } from '../pages/trends-page.ts';
import { videoPage } from '../pages/video-page.ts';
import { momentOf } from '../request/context.ts';
import { fixedText } from '../request/fixed-text.ts';
import { queryRoutes } from './query.ts';

/** `GET /live`: server-sent events when the lake changes. */
const liveRoute = ({ app, service, guard }: PageDeps): void => {
  app.get('/live', guard, (c) => {
    refuseCrossOrigin(c, 'Only pages of this service can receive live updates.');
    const { owner, gone } = momentOf(service, c, undefined);
    return new Response(service.live.listen(owner, gone()), {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no', // a buffering proxy would delay updates
      },
    });
  });
};

const ASSETS_FOLDER = new URL('../assets/', import.meta.url);
const uplot = (name: string): URL => new URL(name, import.meta.resolve('uplot'));

const assetsOf = (kind: string): readonly string[] =>
  readdirSync(ASSETS_FOLDER)
    .filter((name) => name.endsWith(kind))
    .sort();

/** Files of each script by the name it is served under, and of the one stylesheet of all pages. */
const ASSETS = new Map<string, readonly URL[]>([
  ['uplot.js', [uplot('uPlot.iife.min.js')]],
  ...assetsOf('.js').map((name) => [name, [new URL(name, ASSETS_FOLDER)]] as const),
  [
    'style.css',
    [uplot('uPlot.min.css'), ...assetsOf('.css').map((name) => new URL(name, ASSETS_FOLDER))],
  ],
]);

const PAGES: readonly ((deps: PageDeps) => void)[] = [
  overviewPage,
  trendsPages,
  diffPage,
  videoPage,
  creatorsListPage,
  creatorPage,
  comparePage,
  hashtagsListPage,
  hashtagPage,
  eventsListPage,
  searchPageRoute,
  forecastsPage,
  pipelinePage,
  queryRoutes,
  liveRoute,
];

export interface PagesAbout {
  /** The OpenAPI text. */
  readonly document: () => string;
  /** Public URL without a path. */
  readonly origin: () => string;
}

/** The dashboard, the reference at `/docs`, and their assets. */
export const pageRoutes = (deps: PageDeps, { document, origin }: PagesAbout): void => {
  const { app, guard } = deps;
  for (const page of PAGES) page(deps);
  let reference: PageBytes | undefined;
  app.get('/docs', guard, (c) => {
    reference ??= new PageBytes(
      String(referencePage(JSON.parse(document()) as ShownDocument, origin())),
    );
    return sendPage(c, reference);
  });
  for (const [name, files] of ASSETS) {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    app.get(
      `/assets/${name}`,
      fixedText(`${type}; charset=utf-8`, () =>
        files.map((file) => readFileSync(file, 'utf8')).join('\n'),
      ),
    );
  }
};
