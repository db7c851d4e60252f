import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { deliveriesPage, redeliver } from '../../../src/alerts/webhooks/deliveries.ts';
import { sendTest } from '../../../src/alerts/webhooks/dispatcher.ts';
import { HttpPoster } from '../../../src/alerts/webhooks/post.ts';
import { flushDeliveries, startSender } from '../../../src/alerts/webhooks/sender.ts';
import {
  enableSubscription,
  findSubscription,
  removeSubscription,
  rotateSecret,
} from '../../../src/alerts/webhooks/subscriptions.ts';
import { systemClock, type VirtualClock, virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { eventually } from '../../support/eventually.ts';
import { freshLake } from '../events/made-lake.ts';
import { madeEndpoint, subscribe } from './made-endpoint.ts';
import { madeEvent } from './made-event.ts';

const T0 = Date.UTC(2026, 2, 1);
const random = () => 0;

const deliveryOf = (lake: Lake) => deliveriesPage(lake, { limit: 10 }).items[0];
const flush = (lake: Lake, clock: VirtualClock, report?: (sentence: string) => void) =>
  flushDeliveries(lake, { clock, random, ...(report === undefined ? {} : { report }) });

/** Flushes at each next due instant, `times` over. */
const follow = async (lake: Lake, clock: VirtualClock, times: number): Promise<number[]> => {
  const at: number[] = [];
  for (let attempt = 0; attempt < times; attempt += 1) {
    clock.advanceTo(deliveryOf(lake)?.nextAttemptAt ?? 0);
    at.push(clock.now() - T0);
    await flush(lake, clock);
  }
  return at;
};

describe('deliveries', () => {
  test('are taken by the public verifier, over real HTTP', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint();
    const { id, secret } = subscribe(lake, endpoint.url);
    const event = madeEvent(systemClock.now());
    storeEvents(lake, [event], { now: systemClock.now() });
    expect(await flushDeliveries(lake, { clock: systemClock, random })).toEqual({
      left: 0,
      elsewhere: false,
    });
    const [letter] = endpoint.received;
    const read = new Webhook(secret).verify(
      letter?.body ?? '',
      letter?.headers as Record<string, string>,
    );
    expect(read).toEqual({
      type: 'trend.spike',
      timestamp: new Date(event.occurredAt).toISOString(),
      data: event.data,
    });
    expect(letter?.headers['webhook-id']).toBe(`${event.id}.${id}`);
    expect(letter?.headers['content-type']).toBe('application/json');
    expect(deliveryOf(lake)).toMatchObject({
      state: 'delivered',
      status: 204,
      attempts: 1,
      error: null,
    });
  });

  test('are signed with both secrets for a day after a rotation', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint();
    const { id, secret } = subscribe(lake, endpoint.url);
    const now = systemClock.now();
    const { secret: newer } = rotateSecret(lake, id, now);
    storeEvents(lake, [madeEvent(now)], { now });
    await flushDeliveries(lake, { clock: systemClock, random });
    const [letter] = endpoint.received;
    for (const each of [secret, newer])
      expect(() =>
        new Webhook(each).verify(letter?.body ?? '', letter?.headers as Record<string, string>),
      ).not.toThrow();
    const later = virtualClock(now + DAY_MS + HOUR_MS);
    storeEvents(lake, [madeEvent(later.now(), 1)], { now: later.now() });
    await flush(lake, later);
    expect(endpoint.received[1]?.headers['webhook-signature']).not.toContain(' ');
  });

  test('come again at 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, under one id, then fail', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint((response) => response.writeHead(500).end('sorry'));
    subscribe(lake, endpoint.url);
    storeEvents(lake, [madeEvent(T0)], { now: T0 });
    const at = await follow(lake, virtualClock(T0), 10);
    const waits = at.slice(1).map((its, index) => its - (at[index] as number));
    const expected = [
      5 * SECOND_MS,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
    ];
    expect(waits).toEqual(expected);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(
      10,
    );
    expect(deliveryOf(lake)).toMatchObject({
      state: 'failed',
      attempts: 10,
      status: 500,
      answer: 'sorry',
      nextAttemptAt: null,
    });
  });

  test.each([
    ['120', 120 * SECOND_MS],
    ['120.0005', 120 * SECOND_MS + 1],
    [new Date(T0 + 10 * MINUTE_MS).toUTCString(), 10 * MINUTE_MS],
    ['1', 5 * SECOND_MS],
    ['99999999', DAY_MS],
    ['soon', 5 * SECOND_MS],
  ])('obey Retry-After: %s', async (header, waitMs) => {
    const lake = freshLake();
    const endpoint = await madeEndpoint((response) =>
      response.writeHead(429, { 'retry-after': header }).end(),
    );
    subscribe(lake, endpoint.url);
    storeEvents(lake, [madeEvent(T0), madeEvent(T0, 1)], { now: T0 });
    await flush(lake, virtualClock(T0));
    const due = deliveriesPage(lake, { limit: 10 }).items.map(
      ({ nextAttemptAt }) => (nextAttemptAt ?? 0) - T0,
    );
    expect(Math.max(...due)).toBe(waitMs);
  });

  test('what an endpoint asked for with Retry-After outlives the responses to others', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint((response, count) =>
      count === 1
        ? response.writeHead(503, { 'retry-after': '600' }).end()
        : setTimeout(() => response.writeHead(200).end(), 50),
    );
    const { id } = subscribe(lake, endpoint.url);
    storeEvents(lake, [madeEvent(T0), madeEvent(T0, 1), madeEvent(T0, 2)], { now: T0 });
    await flush(lake, virtualClock(T0));
    expect(findSubscription(lake, id, undefined)?.pausedUntil).toBeGreaterThanOrEqual(
      T0 + 10 * MINUTE_MS,
    );
    storeEvents(lake, [madeEvent(T0, 3)], { now: T0 });
    await flush(lake, virtualClock(T0 + MINUTE_MS));
    expect(endpoint.received).toHaveLength(3);
  });

  test('410 disables an endpoint at once and says so', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint((response) => response.writeHead(410).end());
    const { id } = subscribe(lake, endpoint.url);
    storeEvents(lake, [madeEvent(T0)], { now: T0 });
    const stated: string[] = [];
    await flush(lake, virtualClock(T0), (sentence) => stated.push(sentence));
    expect(stated.join()).toMatch(/was disabled: the endpoint answered 410/);
    expect(findSubscription(lake, id, undefined)?.disabledReason).toMatch(/410/);
    expect(storeEvents(lake, [madeEvent(T0, 1)], { now: T0 }).queued).toBe(0);
    expect(() => redeliver(lake, { subscriptionId: id, from: 0, to: T0 }, T0)).toThrow(/enable/);
    enableSubscription(lake, id);
    expect(redeliver(lake, { subscriptionId: id, from: 0, to: T0 }, T0)).toBe(1);
  });

  test('an endpoint that fails for five days is disabled; a success in between forgives', async () => {
    const lake = freshLake();
    let healthy = false;
    const endpoint = await madeEndpoint((response) =>
      response.writeHead(healthy ? 200 : 503).end(),
    );
    const { id } = subscribe(lake, endpoint.url);
    const clock = virtualClock(T0);
    const day = async (number: number): Promise<void> => {
      clock.advanceTo(T0 + number * DAY_MS);
      storeEvents(lake, [madeEvent(clock.now(), number)], { now: clock.now() });
      await flush(lake, clock);
    };
    await day(0);
    await day(3);
    healthy = true;
    await day(4);
    healthy = false;
    await day(6);
    await day(10);
    expect(findSubscription(lake, id, undefined)?.disabledAt).toBeNull();
    await day(11);
    expect(findSubscription(lake, id, undefined)?.disabledReason).toMatch(
      /nothing was received for 5 days/,
    );
    expect(deliveriesPage(lake, { state: 'pending', limit: 10 }).items).toEqual([]);
  });

  test('a dead, a slow and an endless endpoint delay no other', async () => {
    const lake = freshLake();
    const never = await madeEndpoint(() => {});
    const endless = await madeEndpoint((response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(16_384), () => setImmediate(more));
      };
      more();
    });
    const garbage = await madeEndpoint((response) => void response.socket?.end('not http at all'));
    const living = await madeEndpoint();
    for (const { url } of [never, endless, garbage, living]) subscribe(lake, url);
    subscribe(lake, 'http://127.0.0.1:1/'); // nobody listens
    const now = systemClock.now();
    storeEvents(
      lake,
      Array.from({ length: 40 }, (_, number) => madeEvent(now, number)),
      { now },
    );
    const sender = startSender(lake, { clock: systemClock, random });
    await eventually(() => expect(living.received).toHaveLength(40));
    await eventually(() =>
      expect(deliveriesPage(lake, { state: 'delivered', limit: 200 }).items).toHaveLength(80),
    );
    expect(never.received.length).toBeLessThanOrEqual(8);
    expect(
      deliveriesPage(lake, { limit: 500 }).items.every(
        ({ answer }) => (answer ?? '').length <= 1024,
      ),
    ).toBe(true);
    await sender.stop();
  });

  test('two senders of one lake send each delivery once; the second takes over', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint();
    subscribe(lake, endpoint.url);
    const now = systemClock.now();
    const first = startSender(lake, { clock: systemClock, random });
    const second = startSender(lake, { clock: systemClock, random });
    storeEvents(lake, [madeEvent(now)], { now });
    expect(await flushDeliveries(lake, { clock: systemClock, random })).toMatchObject({
      elsewhere: true,
    });
    await eventually(() => expect(deliveryOf(lake)?.state).toBe('delivered'));
    await first.stop();
    storeEvents(lake, [madeEvent(now, 1)], { now });
    await eventually(() =>
      expect(deliveriesPage(lake, { state: 'delivered', limit: 5 }).items).toHaveLength(2),
    );
    await second.stop();
    expect(endpoint.received).toHaveLength(2);
  });

  test('can be sent again under the same id, and a test event on demand', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint();
    const { id, secret } = subscribe(lake, endpoint.url);
    const clock = virtualClock(systemClock.now());
    storeEvents(lake, [madeEvent(clock.now())], { now: clock.now() });
    await flush(lake, clock);
    redeliver(lake, { deliveryId: deliveryOf(lake)?.id ?? '' }, clock.now());
    await flush(lake, clock);
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(() => redeliver(lake, { deliveryId: 'nothing' }, 0)).toThrow(/no delivery nothing/);

    const poster = new HttpPoster({ clock });
    const subscription = { id, url: endpoint.url, loopback: true };
    expect((await sendTest(lake, { clock, poster }, subscription)).status).toBe(204);
    await poster.close();
    const letter = endpoint.received[2];
    expect(
      new Webhook(secret).verify(letter?.body ?? '', letter?.headers as Record<string, string>),
    ).toMatchObject({ type: 'webhook.test' });
  });

  test('of a removed subscription are gone with it', async () => {
    const lake = freshLake();
    const endpoint = await madeEndpoint();
    const { id } = subscribe(lake, endpoint.url);
    storeEvents(lake, [madeEvent(T0)], { now: T0 });
    expect(removeSubscription(lake, id, 'somebody else')).toBe(false);
    expect(removeSubscription(lake, id, undefined)).toBe(true);
    await flush(lake, virtualClock(T0));
    expect(endpoint.received).toEqual([]);
  });

  test('a subscription is refused twice', () => {
    const lake = freshLake();
    subscribe(lake, 'http://127.0.0.1:1/', { events: ['trend.spike'] });
    expect(() => subscribe(lake, 'http://127.0.0.1:1/', { events: ['trend.spike'] })).toThrow(
      /already/,
    );
    expect(() => subscribe(lake, 'http://127.0.0.1:1/')).not.toThrow();
    expect(() => subscribe(lake, 'http://127.0.0.1:1/', { events: ['trend.spikes'] })).toThrow(
      /events may hold/,
    );
    expect(() => subscribe(lake, 'http://127.0.0.1:1/', { platforms: ['vine'] })).toThrow(
      /platforms may hold/,
    );
    expect(() => subscribe(lake, 'http://127.0.0.1:1/', { subjects: ['@'] })).toThrow(
      /subjects must be/,
    );
  });
});
