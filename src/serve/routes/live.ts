import { problemResponse, RefusedError } from '../http/problems.ts';
import { isCrossOrigin } from '../http/sent-from.ts';
import type { PageDeps } from '../pages/page-route.ts';
import { momentOf } from '../request/context.ts';

/** `GET /live`: server-sent events when the lake changes. */
export const liveRoute = ({ app, service, guard }: PageDeps): void => {
  app.get('/live', guard, (c) => {
    if (isCrossOrigin(c))
      return problemResponse(
        new RefusedError('forbidden', 'Only pages of this service can receive live updates.'),
      );
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
