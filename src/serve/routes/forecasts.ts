import { forecastsResponse } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { risingPage } from '../../learn/forecast/read.ts';
import type { ReadContext } from '../request/context.ts';
import { getRoute } from '../request/describe.ts';
import { asOf, horizon, limit, page, platformPath, risingList } from '../request/parameters.ts';

export const forecastsRoute = getRoute({
  path: '/forecasts/{platform}',
  operationId: 'getForecasts',
  summary: 'Videos by probability to reach the top 10 %, with expected views',
  description:
    'Videos of a platform seen in the last two days that are not yet in the top 10 % by growth among similar videos, by probability to finish there, with expected views after the horizon. `list=risen` returns those already there. Empty until the lake has enough history.',
  extension: true,
  params: { platform: platformPath },
  query: { list: risingList, horizon, limit, page, asOf },
  response: forecastsResponse,
  read: ({ lake }: ReadContext, { platform, list, horizon: hours, limit, page }, { asOf: at }) => {
    const readFor = { at, version: lakeVersion(lake) };
    const wanted = { platform, list, hours, at, limit, page };
    const { total, items, newestAt } = risingPage(lake.sqlite, wanted);
    const body = { total, page, items, platform, horizonHours: hours };
    return { body, asOf: at, observedAt: newestAt, readFor };
  },
});
