import { z } from '@hono/zod-openapi';
import { forecastsResponse } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { risingPage } from '../../learn/forecast/read.ts';
import { instantOf, respond, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { describeGet } from '../request/describe.ts';
import { asOf, horizon, limit, page, platformPath, risingList } from '../request/parameters.ts';
import { respondGet } from '../request/respond-get.ts';

const forecasts = describeGet({
  path: '/forecasts/{platform}',
  operationId: 'getForecasts',
  summary: 'Videos by probability to reach the top 10 %, with expected views',
  description:
    'Videos of a platform seen in the last two days that are not yet in the top 10 % by growth among similar videos, by probability to finish there, with expected views after the horizon. `list=risen` returns those already there. Empty until the lake has enough history.',
  extension: true,
  request: {
    params: z.object({ platform: platformPath }),
    query: z.object({ list: risingList, horizon, limit, page, asOf }),
  },
  response: forecastsResponse,
  problems: ['invalid-parameter', 'not-found'],
});

export const forecastRoutes = (app: ServiceApp, service: ServiceContext): void => {
  respondGet(app, service, forecasts, (c) => {
    const { platform } = c.req.valid('param');
    const { list, horizon: hours, asOf: requestedAsOf, ...paging } = c.req.valid('query');
    const at = instantOf(service, requestedAsOf);
    const readFor = { at, version: lakeVersion(service.lake) };
    const wanted = { platform, list, hours, at, ...paging };
    const { total, items, newestAt } = risingPage(service.lake.sqlite, wanted);
    const body = { total, page: paging.page, items, platform, horizonHours: hours };
    return respond(service, c, { body, asOf: at, observedAt: newestAt, readFor }, requestedAsOf);
  });
};
