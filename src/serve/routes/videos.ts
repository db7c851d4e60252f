import { z } from '@hono/zod-openapi';
import { isoOf } from '../../base/iso.ts';
import { growthResponse, videoResponse } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { videoByIdAsOf, videoRecord } from '../../lake/read/timeline.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import { videoGrowth } from '../../lake/read/video-growth.ts';
import { shownForecast } from '../../learn/forecast/read.ts';
import { TRACKED_MS } from '../../learn/model/observations.ts';
import { RefusedError } from '../http/problems.ts';
import { instantOf, respond, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { describeGet } from '../request/describe.ts';
import { asOf, idPath } from '../request/parameters.ts';
import { respondGet } from '../request/respond-get.ts';

const growth = describeGet({
  path: '/videos/{id}/growth',
  operationId: 'getGrowth',
  summary: 'Snapshot timeline and growth curve of one video',
  request: { params: z.object({ id: idPath }), query: z.object({ asOf }) },
  response: growthResponse,
  problems: ['invalid-parameter', 'not-found'],
});

const video = describeGet({
  path: '/videos/{id}',
  operationId: 'getVideo',
  summary: 'One video as last seen',
  extension: true,
  request: { params: z.object({ id: idPath }), query: z.object({ asOf }) },
  response: videoResponse,
  problems: ['invalid-parameter', 'not-found'],
});

export const videoRoutes = (app: ServiceApp, service: ServiceContext): void => {
  const find = (id: string, at: number) => {
    const found = videoByIdAsOf(service.lake, id, at);
    if (found === undefined)
      throw new RefusedError('not-found', `No video "${id}" had been seen by ${isoOf(at)}.`);
    return found;
  };

  const mayRepeat = (at: number) => ({
    readFor: { at, version: lakeVersion(service.lake) },
    windowsMs: [],
  });

  respondGet(app, service, growth, (c) => {
    const { id } = c.req.valid('param');
    const { asOf: requestedAsOf } = c.req.valid('query');
    const at = instantOf(service, requestedAsOf);
    const { key, platform } = find(id, at);
    const curve = videoGrowth(service.lake, key, at);
    const forecast = shownForecast(service.lake.sqlite, key, at);
    const body = { id, platform, ...curve, forecast };
    const newest = curve.snapshots.at(-1);
    const observedAt = newest === undefined ? null : Date.parse(newest.at);
    // a forecast expires two days after its snapshot
    const holds = { ...mayRepeat(at), windowsMs: forecast === null ? [] : [TRACKED_MS] };
    return respond(service, c, { body, asOf: at, observedAt, ...holds }, requestedAsOf);
  });

  respondGet(app, service, video, (c) => {
    const { id } = c.req.valid('param');
    const { asOf: requestedAsOf } = c.req.valid('query');
    const at = instantOf(service, requestedAsOf);
    const body = videoRecord(service.lake, find(id, at).key, at);
    const observedAt = newestSnapshotAt(service.lake, at);
    return respond(service, c, { body, asOf: at, observedAt, ...mayRepeat(at) }, requestedAsOf);
  });
};
