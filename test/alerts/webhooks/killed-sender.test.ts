import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { freshLake } from '../events/made-lake.ts';
import { madeEndpoint, subscribe } from './made-endpoint.ts';
import { madeEvent } from './made-event.ts';

const KILLS = 4;
const EVENTS = 200;

test('a sender killed again and again loses nothing', async () => {
  const lake = freshLake();
  const endpoints = await Promise.all([1, 2, 3].map(() => madeEndpoint()));
  const secrets = endpoints.map(({ url }) => subscribe(lake, url).secret);
  subscribe(lake, 'http://127.0.0.1:1/'); // dead all along
  const now = systemClock.now();
  const events = Array.from({ length: EVENTS }, (_, number) => madeEvent(now, number));
  storeEvents(lake, events, { now });
  const received = (): number => endpoints.reduce((sum, its) => sum + its.received.length, 0);

  let sender: ChildProcess | undefined;
  const start = (): ChildProcess =>
    spawn(process.execPath, [join(import.meta.dirname, 'sender-process.ts'), lake.dataDir], {
      stdio: 'inherit',
    });
  onTestFinished(() => void sender?.kill('SIGKILL'));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = received();
    sender = start();
    await eventually(() => expect(received()).toBeGreaterThan(before + kill * 3));
    sender.kill('SIGKILL');
    await once(sender, 'exit');
  }
  sender = start();
  const everyId = (): number[] =>
    endpoints.map((its) => new Set(its.received.map(({ headers }) => headers['webhook-id'])).size);
  await eventually(() => expect(everyId()).toEqual([EVENTS, EVENTS, EVENTS]));

  for (const [index, { received: letters }] of endpoints.entries())
    for (const { body, headers } of letters) {
      const { data } = new Webhook(secrets[index] as string).verify(
        body,
        headers as Record<string, string>,
      ) as { data: { id: string } };
      expect(String(headers['webhook-id'])).toMatch(new RegExp(`^${data.id}\\.`));
    }
});
