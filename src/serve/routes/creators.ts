import { z } from '@hono/zod-openapi';
import { isoOf } from '../../base/iso.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import { creatorResponse } from '../../base/wire/shapes.ts';
import { creatorProfile } from '../../lake/read/creator-profile.ts';
import { shownProfile } from '../../lake/read/shown-profile.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import { RefusedError } from '../http/problems.ts';
import { instantOf, respond, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { describeGet } from '../request/describe.ts';
import { asOf, handlePath, limit, page, platformPath } from '../request/parameters.ts';
import { respondGet } from '../request/respond-get.ts';

const creator = describeGet({
  path: '/creators/{platform}/{handle}',
  operationId: 'getCreator',
  summary: "A creator's profile with trending videos and growth",
  request: {
    params: z.object({ platform: platformPath, handle: handlePath }),
    query: z.object({ limit, page, asOf }),
  },
  response: creatorResponse,
  problems: ['invalid-parameter', 'not-found'],
});

export const creatorRoutes = (app: ServiceApp, service: ServiceContext): void => {
  respondGet(app, service, creator, (c) => {
    const { platform, handle: written } = c.req.valid('param');
    const { asOf: requestedAsOf, ...paging } = c.req.valid('query');
    const at = instantOf(service, requestedAsOf);
    const handle = plainHandle(written);
    const profile = creatorProfile(service.lake, { platform, handle, asOf: at, ...paging });
    if (profile === undefined)
      throw new RefusedError(
        'not-found',
        `No creator "${handle}" had been seen on ${platform} by ${isoOf(at)}.`,
      );
    const body = shownProfile(platform, profile);
    const observedAt = profile.growth.at(-1)?.at ?? newestSnapshotAt(service.lake, at);
    return respond(service, c, { body, asOf: at, observedAt }, requestedAsOf);
  });
};
