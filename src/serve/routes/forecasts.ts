import { z } from '@hono/zod-openapi';
import { risingCount, risingVideos } from '../../forecast/read.ts';
import { isoOf } from '../../iso.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { forecastsAnswer } from '../../wire/shapes.ts';
import { answerGet } from '../answer-get.ts';
import { instantAsked, respond, type ServiceApp, type ServiceContext } from '../context.ts';
import { describeGet } from '../describe.ts';
import { asOf, horizon, limit, page, platformPath } from '../parameters.ts';

const forecasts = describeGet({
  path: '/forecasts/{platform}',
  operationId: 'getForecasts',
  summary: 'Videos by their probability to end on top, with views ahead',
  description:
    'The videos of a platform seen in the last two days, by their probability to end in the top tenth of growth among their like, with the views expected after the horizon. Empty where the lake has not yet watched enough to say.',
  extension: true,
  request: {
    params: z.object({ platform: platformPath }),
    query: z.object({ horizon, limit, page, asOf }),
  },
  answer: forecastsAnswer,
  problems: ['invalid-parameter', 'not-found'],
});

/** What is likely to come, as forecasts were made. */
export const forecastRoutes = (app: ServiceApp, service: ServiceContext): void => {
  answerGet(app, service, forecasts, (c) => {
    const { platform } = c.req.valid('param');
    const { horizon: hours, limit: most, page: number, asOf: asked } = c.req.valid('query');
    const at = instantAsked(service, asked);
    const { sqlite } = service.lake;
    const readFor = { at, version: lakeVersion(service.lake) };
    const offset = (number - 1) * most;
    const total = risingCount(sqlite, platform, at);
    const videos =
      offset < total ? risingVideos(sqlite, { platform, hours, at, limit: most, offset }) : [];
    const items = videos.map(({ madeAt, hours: _, ...video }, index) => ({
      rank: offset + index + 1,
      ...video,
      madeAt: isoOf(madeAt),
    }));
    const body = { total, page: number, items, platform, horizonHours: hours };
    const observedAt = videos.reduce<number | null>(
      (newest, { madeAt }) => Math.max(newest ?? 0, madeAt),
      null,
    );
    return respond(service, c, { body, asOf: at, observedAt, readFor }, asked);
  });
};
