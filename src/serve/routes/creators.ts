import { isoOf } from '../../base/iso.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import { creatorResponse } from '../../base/wire/shapes.ts';
import { creatorProfile } from '../../lake/read/creator-profile.ts';
import { shownProfile } from '../../lake/read/shown-profile.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import { RefusedError } from '../http/problems.ts';
import type { ReadContext } from '../request/context.ts';
import { getRoute } from '../request/describe.ts';
import { asOf, handlePath, limit, page, platformPath } from '../request/parameters.ts';

export const creatorRoute = getRoute({
  path: '/creators/{platform}/{handle}',
  operationId: 'getCreator',
  summary: "A creator's profile with trending videos and growth",
  params: { platform: platformPath, handle: handlePath },
  query: { limit, page, asOf },
  response: creatorResponse,
  read: ({ lake }: ReadContext, { platform, handle: written, limit, page }, { asOf }) => {
    const handle = plainHandle(written);
    const profile = creatorProfile(lake, { platform, handle, asOf, limit, page });
    if (profile === undefined)
      throw new RefusedError(
        'not-found',
        `No creator "${handle}" had been seen on ${platform} by ${isoOf(asOf)}.`,
      );
    const observedAt = profile.growth.at(-1)?.at ?? newestSnapshotAt(lake, asOf);
    return { body: shownProfile(platform, profile), asOf, observedAt };
  },
});
