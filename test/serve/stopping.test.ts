import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { startService } from '../../src/serve/service.ts';
import { hoursAgo } from './filled-lake.ts';
import { runService } from './running.ts';

test('responses during shutdown close their connection', async () => {
  const running = await runService((into) =>
    into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 5]] }),
  );
  const { dataDir, clock, key } = running;
  const service = await startService({ dataDir, clock, machine: systemClock });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const sent = request(`${service.url}/lab/analyze`, {
    agent,
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      expect: '100-continue',
    },
  });
  await once(sent, 'continue'); // the service has the request, but not its body
  const closed = service.close();
  sent.end('{"id":"tt_1"}');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(JSON.parse(await text(answer))).toMatchObject({ id: 'tt_1', method: 'statistical' });
  expect(answer.headers.connection).toBe('close');
  await closed;
});
