import type { Context } from 'hono';
import { isoOf } from '../../base/iso.ts';
import { eventsResponse, usageResponse } from '../../base/wire/shapes.ts';
import { shownEvent } from '../../lake/lists/event-list.ts';
import type { ReadContext, ServiceContext, ServiceEnv } from '../request/context.ts';
import { getRoute } from '../request/describe.ts';
import { asOf, eventKind, limit, page, platformQuery, since, tag } from '../request/parameters.ts';

export const eventsRoute = getRoute({
  path: '/events',
  operationId: 'getEvents',
  summary: 'Events, newest first',
  extension: true,
  query: { kind: eventKind, platform: platformQuery, tag, since, limit, page, asOf },
  response: eventsResponse,
  read: async ({ reads }: ReadContext, wanted, { asOf, owner, gone }) => {
    const { total, items } = await reads.read(
      'events',
      { ...wanted, asOf },
      { owner, unwanted: gone() },
    );
    const body = { total, page: wanted.page, items: items.map(shownEvent) };
    return { body, asOf, observedAt: items[0]?.detectedAt ?? null };
  },
});

const DAYS_SHOWN = 62;

const limitUse = (limit: number, remaining: number, resetsAt: number) => ({
  limit,
  used: limit - remaining,
  remaining,
  resetsAt: isoOf(resetsAt),
});

export const usageRoute = getRoute({
  path: '/usage',
  operationId: 'getUsage',
  summary: 'Limits and calls of your key',
  extension: true,
  query: { asOf },
  response: usageResponse,
  read: async ({ keys }: ServiceContext, _, __, c: Context<ServiceEnv>) => {
    const key = c.get('standing');
    const { id, at, ratePerMinute, callsPerMonth } = key;
    const body = {
      key: id,
      shared: keys.isShared,
      minute: limitUse(ratePerMinute, key.minuteLeft, at + key.minuteResetsMs),
      month: limitUse(callsPerMonth, key.monthLeft, at + key.monthResetsMs),
      days: await keys.usageByDay(id, DAYS_SHOWN),
    };
    return { body, asOf: at, observedAt: at };
  },
});
