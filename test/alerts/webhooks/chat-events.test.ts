import { expect, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { deliveriesPage } from '../../../src/alerts/webhooks/deliveries.ts';
import { Dispatcher } from '../../../src/alerts/webhooks/dispatcher.ts';
import { HttpPoster } from '../../../src/alerts/webhooks/post.ts';
import { flushDeliveries } from '../../../src/alerts/webhooks/sender.ts';
import { readWish } from '../../../src/alerts/webhooks/subscription-wish.ts';
import { secretsOf } from '../../../src/alerts/webhooks/subscriptions.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { freshLake } from '../events/made-lake.ts';
import { chatProblems } from './chat-receivers.ts';
import { madeEndpoint, subscribe } from './made-endpoint.ts';
import { madeEvent } from './made-event.ts';

const T0 = Date.UTC(2026, 2, 1);
const SERVICES = ['slack', 'discord', 'teams'] as const;
const random = (): number => 0.5;

const addEvents = (lake: Lake, at: number, count: number, from = 0): void => {
  const events = Array.from({ length: count }, (_, n) => madeEvent(at, from + n));
  storeEvents(lake, events, { now: at });
};
const states = (lake: Lake): string[] => [
  ...new Set(
    deliveriesPage(lake, { limit: 100 }).items.map((one) => `${one.state} ${one.attempts}`),
  ),
];

test.each(SERVICES)('%s gets the events of a night as one message', async (service) => {
  const lake = freshLake();
  const { url, received } = await madeEndpoint();
  subscribe(lake, `${service}+${url}`);
  addEvents(lake, T0, 25);
  const deps = { clock: virtualClock(T0), random, publicUrl: 'https://trends.example' };
  expect(await flushDeliveries(lake, deps)).toMatchObject({ left: 0 });
  expect(states(lake)).toEqual(['delivered 1']);
  const [{ body = '', headers = {} } = {}] = received;
  expect(received).toHaveLength(1);
  expect(chatProblems(service, body)).toEqual([]);
  expect(body).toContain('trendlake: 25 events');
  expect(body).toContain('and 15 more');
  expect(body).toContain('https://trends.example/events');
  expect(headers).not.toHaveProperty('webhook-signature');
});

test('events that failed together are retried together', async () => {
  const lake = freshLake();
  const clock = virtualClock(T0);
  const { url, received } = await madeEndpoint((response, count) => {
    response.writeHead(count < 2 ? 429 : 200, { 'retry-after': '30' }).end();
  });
  subscribe(lake, `slack+${url}`);
  addEvents(lake, T0, 3);
  const draws = [0.1, 0.9, 0.5, 0.3];
  const deps = { clock, random: () => draws.shift() ?? 0 };
  await flushDeliveries(lake, deps);
  expect(states(lake)).toEqual(['pending 1']);
  const next = new Set(deliveriesPage(lake, { limit: 9 }).items.map((one) => one.nextAttemptAt));
  expect(next.size).toBe(1);
  expect([...next][0]).toBeGreaterThanOrEqual(T0 + 30 * SECOND_MS);
  clock.advanceTo(T0 + MINUTE_MS);
  await flushDeliveries(lake, deps);
  expect(states(lake)).toEqual(['delivered 2']);
  expect(received).toHaveLength(2);
});

test('two messages to one address keep the shortest time apart', async () => {
  const lake = freshLake();
  const clock = virtualClock(T0);
  const { url, received } = await madeEndpoint();
  subscribe(lake, `discord+${url}`);
  const secrets = secretsOf(lake);
  const poster = new HttpPoster({ clock });
  const report = (): never => expect.unreachable();
  const dispatcher = new Dispatcher(lake, { clock, random, poster, secrets, report });
  const send = async (): Promise<number> => {
    dispatcher.launch(clock.now(), new AbortController().signal);
    if (dispatcher.busy > 0) await dispatcher.ended();
    dispatcher.record();
    return received.length;
  };
  addEvents(lake, T0, 1);
  expect(await send()).toBe(1);
  addEvents(lake, T0, 1, 7);
  expect(await send()).toBe(1);
  clock.advanceTo(T0 + 399);
  expect(await send()).toBe(1);
  clock.advanceTo(T0 + 400);
  expect(await send()).toBe(2);
  await poster.close();
  secrets[Symbol.dispose]();
});

test('addresses with the prefix of a chat service are checked like others', async () => {
  const read = (url: string) => readWish({ url }, true).url;
  expect(read('SLACK+https://chat.example/x')).toBe('slack+https://chat.example/x');
  expect(() => read('slack+http://chat.example/x')).toThrow('must be https');
  expect(() => read('teams+https://10.0.0.1/x')).toThrow('a public address');
  const dataDir = freshDataDir();
  const { url, received } = await madeEndpoint();
  const command = (...argv: string[]) => runCommand(argv, { dataDir });
  const target = `slack+${url}`;
  const added = await command('webhooks', 'add', target, '--allow-loopback-http', '--json');
  const { id } = JSON.parse(added.out) as { id: string };
  expect((await command('webhooks', 'test', id)).out).toContain('answered 204');
  expect(chatProblems('slack', received[0]?.body ?? '')).toEqual([]);
  expect(received[0]?.body).toContain('A test of this subscription');
});
