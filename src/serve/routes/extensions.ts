import { z } from '@hono/zod-openapi';
import { isoOf } from '../../base/iso.ts';
import { eventsResponse, usageResponse } from '../../base/wire/shapes.ts';
import { shownEvent } from '../../lake/lists/event-list.ts';
import { momentOf, respond, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { describeGet } from '../request/describe.ts';
import { asOf, eventKind, limit, page, platformQuery, since, tag } from '../request/parameters.ts';
import { respondGet } from '../request/respond-get.ts';

const events = describeGet({
  path: '/events',
  operationId: 'getEvents',
  summary: 'Events, newest first',
  extension: true,
  request: {
    query: z.object({ kind: eventKind, platform: platformQuery, tag, since, limit, page, asOf }),
  },
  response: eventsResponse,
  problems: ['invalid-parameter'],
});

const usage = describeGet({
  path: '/usage',
  operationId: 'getUsage',
  summary: 'Limits and calls of your key',
  extension: true,
  request: { query: z.object({ asOf }) },
  response: usageResponse,
  problems: ['invalid-parameter'],
});

const DAYS_SHOWN = 62;

export const extensionRoutes = (app: ServiceApp, service: ServiceContext): void => {
  respondGet(app, service, events, async (c) => {
    const { asOf: requestedAsOf, ...wanted } = c.req.valid('query');
    const { asOf: at, owner, gone } = momentOf(service, c, requestedAsOf);
    const by = { owner, unwanted: gone() };
    const { total, items } = await service.reads.read('events', { ...wanted, asOf: at }, by);
    const body = { total, page: wanted.page, items: items.map(shownEvent) };
    const observedAt = items[0]?.detectedAt ?? null;
    return respond(service, c, { body, asOf: at, observedAt }, requestedAsOf);
  });

  respondGet(app, service, usage, async (c) => {
    const { asOf: requestedAsOf } = c.req.valid('query');
    const key = c.get('standing');
    const now = key.at;
    return respond(
      service,
      c,
      {
        body: {
          key: key.id,
          shared: service.keys.isShared,
          minute: {
            limit: key.ratePerMinute,
            used: key.ratePerMinute - key.minuteLeft,
            remaining: key.minuteLeft,
            resetsAt: isoOf(now + key.minuteResetsMs),
          },
          month: {
            limit: key.callsPerMonth,
            used: key.callsPerMonth - key.monthLeft,
            remaining: key.monthLeft,
            resetsAt: isoOf(now + key.monthResetsMs),
          },
          days: await service.keys.usageByDay(key.id, DAYS_SHOWN),
        },
        asOf: now,
        observedAt: now,
      },
      requestedAsOf,
    );
  });
};
