import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { hoursAgo, NOW } from './filled-lake.ts';
import { runService } from './running.ts';

test('an answer from memory that cannot be counted is 503, and the service goes on', async () => {
  const running = await runService((into) => into.video({ id: 'tt_1', looks: [[hoursAgo(2), 5]] }));
  expect((await running.get('/feed/tiktok')).status).toBe(200);
  const other = new Database(join(running.dataDir, 'service.db'));
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const asked = Array.from({ length: 8 }, () => running.get('/feed/tiktok'));
  for (const { status, body } of await Promise.all(asked))
    expect([status, body.type]).toEqual([503, '/problems/unavailable']);
  other.exec('rollback');
  expect((await running.get('/feed/tiktok')).status).toBe(200);
});

test('while another process writes the keys, requests wait and what needs none is answered', async () => {
  const running = await runService((into) => into.video({ id: 'tt_1', looks: [[hoursAgo(2), 5]] }));
  const other = new Database(join(running.dataDir, 'service.db'));
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const asked = Array.from({ length: 8 }, () => running.get('/feed/tiktok'));
  expect((await fetch(new URL('/health', running.service.url))).status).toBe(200);
  other.exec('rollback');
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await running.get('/usage')).body.minute).toMatchObject({ used: 9 });
});

test('an address that leads elsewhere on the way asks for the scope of where it ends', async () => {
  const running = await runService((into) => into.video({ id: 'tt_1', looks: [[hoursAgo(2), 5]] }));
  const statusFor = async (key: string): Promise<number | undefined> => {
    const sent = request(running.service.url, {
      path: '/v1/lab/../feed/tiktok', // as it is: fetch would resolve it
      headers: { authorization: `Bearer ${key}` },
    }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer.resume().statusCode;
  };
  const lab = running.newKey({ scopes: ['lab'] });
  expect(await statusFor(lab)).toBe(403);
  expect(await statusFor(running.key)).toBe(200);
  expect(await statusFor(lab)).toBe(403);
});

test.each(['/videos/tt_1', '/videos/tt_1/growth', '/feed/tiktok', '/search?q=x'])(
  '%s asked again is true at its own instant, however the clock moves between',
  async (path) => {
    let now = NOW;
    const running = await runService(
      (into) => into.video({ id: 'tt_1', title: 'x', looks: [[hoursAgo(2), 5]] }),
      { at: () => now++ },
    );
    const asOf = async () => Date.parse(String((await running.get(path)).body.asOf));
    const [first, again] = [await asOf(), await asOf()];
    expect(again).toBeGreaterThan(first);
  },
);
