import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { newSecret } from '../../../src/alerts/webhooks/signature.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { madeEndpoint } from './made-endpoint.ts';
import { madeEvent } from './made-event.ts';

test('prints and forwards events as they would be delivered, also those that come later', async () => {
  const lake = freshLake();
  const now = systemClock.now();
  const add = (detectedAt: number, number: number): void =>
    void storeEvents(lake, [madeEvent(detectedAt, number)], { now: detectedAt });
  add(now - 48 * HOUR_MS, 1);
  add(now - HOUR_MS, 2);
  const { url, received } = await madeEndpoint();
  const secret = newSecret();
  const stop = new AbortController();
  const lines: string[] = [];
  const argv = ['webhooks', 'listen', '--forward', url, '--secret', secret, '--since', '24h'];
  const { code, err } = await runCommand(argv, {
    dataDir: lake.dataDir,
    clock: systemClock,
    signal: stop.signal,
    onOut: (line) => {
      lines.push(line);
      if (lines.length === 1) add(now, 3);
      else stop.abort();
    },
  });
  expect([code, err]).toEqual([0, expect.stringMatching(/tt_2|answered 204/)]);
  expect(
    lines.map((line) => (JSON.parse(line) as { data: { subject: object } }).data.subject),
  ).toEqual([
    { kind: 'video', id: 'tt_2' },
    { kind: 'video', id: 'tt_3' },
  ]);
  expect(received.map(({ body }) => body)).toEqual(lines);
  for (const { body, headers } of received)
    new Webhook(secret).verify(body, headers as Record<string, string>);
  lake.close();
});

test('a subscription takes the secret that the command line names', async () => {
  const lake = freshLake();
  const argv = ['webhooks', 'add', 'https://example.com/x', '--secret', newSecret(), '--json'];
  const { code, out } = await runCommand(argv, { dataDir: lake.dataDir });
  expect([code, (JSON.parse(out) as { secret: string }).secret]).toEqual([0, argv[4]]);
  lake.close();
});

test('a wrong address or secret is refused', async () => {
  const lake = freshLake();
  const run = (...argv: string[]) =>
    runCommand(['webhooks', 'listen', ...argv], { dataDir: lake.dataDir });
  expect((await run('--forward', 'http://example.com/')).code).toBe(2);
  expect((await run('--secret', 'whsec_short')).code).toBe(2);
  lake.close();
});
