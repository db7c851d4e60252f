import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { type Lake, openLakeForReading } from '../../src/lake/open.ts';
import { KEYLESS } from '../../src/serve/cache/reader-threads.ts';
import { LiveUpdates } from '../../src/serve/live/live-updates.ts';
import { freshFolder } from '../support/fresh.ts';
import { openTestLake } from '../support/test-lake.ts';
import { NOW } from './filled-lake.ts';
import { runService } from './running.ts';

const commit = (lake: Lake): void =>
  void lake.sqlite
    .prepare(
      "insert into meta (key, value) values ('t', '1') on conflict do update set value = value || '1'",
    )
    .run();

/** A clock that stands still until it is moved. */
const handClock = (): Clock & { advance(ms: number): Promise<void> } => {
  let at = NOW;
  let sleepers: { until: number; wake: () => void }[] = [];
  return {
    now: () => at,
    monotonic: () => at,
    sleep: (ms, signal) =>
      new Promise((wake, reject) => {
        sleepers.push({ until: at + ms, wake });
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
    advance: async (ms) => {
      at += ms;
      const due = sleepers.filter(({ until }) => until <= at);
      sleepers = sleepers.filter(({ until }) => until > at);
      for (const { wake } of due) wake();
      await turn();
    },
  };
};

const following = () => {
  const dataDir = freshFolder();
  const writer = openTestLake(dataDir);
  const lake = openLakeForReading(dataDir);
  const clock = handClock();
  const live = new LiveUpdates(lake, { machine: clock, boot: 'b' });
  const close = (): void => {
    live.close();
    lake.close();
    writer.close();
  };
  return { writer, clock, live, close };
};

const reading = (stream: ReadableStream<Uint8Array>) => {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  return async (): Promise<string | undefined> => {
    const { value, done } = await reader.read();
    return done ? undefined : decoder.decode(value);
  };
};
const never = new AbortController().signal;

test('the first word is the version a page carries, the next comes when the lake changed', async () => {
  const { writer, clock, live, close } = following();
  const before = live.version;
  const next = reading(live.listen('k', never));
  expect(await next()).toBe(`retry: 2000\nevent: version\ndata: ${before}\n\n`);
  commit(writer);
  await clock.advance(1000);
  expect(await next()).toBe(`event: version\ndata: ${live.version}\n\n`);
  expect(live.version).not.toBe(before);
  close();
});

test('while a run loads, one hears of it every five seconds; without changes a beat every ten', async () => {
  const { writer, clock, live, close } = following();
  const next = reading(live.listen('k', never));
  await next();
  const heard: string[] = [];
  for (let second = 0; second < 12; second++) {
    commit(writer);
    await clock.advance(1000);
  }
  for (let n = 0; n < 3; n++) heard.push((await next()) ?? '');
  expect(heard.every((text) => text.startsWith('event: version'))).toBe(true);
  expect(new Set(heard).size).toBe(3);
  for (let second = 0; second < 22; second++) await clock.advance(1000);
  const later: string[] = [];
  for (let n = 0; n < 2; n++) later.push((await next()) ?? '');
  expect(later.at(-1)).toBe('event: beat\ndata:\n\n');
  close();
});

test('a stream ends after ten minutes, when its reader goes, and when the service stops', async () => {
  const { clock, live, close } = following();
  const gone = new AbortController();
  const [one, other] = [reading(live.listen('k', never)), live.listen('k', gone.signal)];
  await one();
  for (let minute = 0; minute < 10; minute++)
    for (let beat = 0; beat < 6; beat++) {
      await clock.advance(10_000);
      if (minute < 9) await one();
    }
  gone.abort();
  let last = await one();
  while (last !== undefined) last = await one();
  await other.cancel();
  const again = reading(live.listen('k', never));
  await again();
  live.close();
  expect(await again()).toBeUndefined();
  expect(() => live.listen('k', never)).toThrow('already receive');
  close();
});

test('a key listens six times, those without a key share more', () => {
  const { live, close } = following();
  const gone = new AbortController();
  for (let n = 0; n < 5; n++) live.listen('k', never);
  live.listen('k', gone.signal);
  expect(() => live.listen('k', never)).toThrow('6 pages already receive');
  gone.abort();
  live.listen('k', never);
  for (let n = 0; n < 60; n++) live.listen(KEYLESS, never);
  expect(() => live.listen(KEYLESS, never)).toThrow('60 pages already receive');
  live.listen('another', never);
  close();
});

test('a reader that does not read is let go', async () => {
  const { writer, clock, live, close } = following();
  const stream = live.listen('k', never);
  for (let second = 0; second < 200; second++) {
    commit(writer);
    await clock.advance(1000);
  }
  const next = reading(stream);
  const heard: string[] = [];
  for (let text = await next(); text !== undefined; text = await next()) heard.push(text);
  expect(heard.length).toBeLessThan(25);
  close();
});

test('over HTTP: its page, who may, and a stop that does not wait for it', async () => {
  const { service } = await runService(() => undefined);
  const page = await (await fetch(service.dashboard)).text();
  const got = await fetch(new URL('/live', service.dashboard));
  expect(got.headers.get('content-type')).toContain('text/event-stream');
  const next = reading(got.body as ReadableStream<Uint8Array>);
  const [, version] = /data: (\S+)/.exec((await next()) ?? '') ?? [];
  expect(page).toContain(`data-version="${version}"`);
  const past = await (await fetch(`${service.dashboard}?asOf=2026-03-01T00:00Z`)).text();
  expect(past).not.toContain('data-version');
  const foreign = { headers: { 'sec-fetch-site': 'cross-site' } };
  expect((await fetch(new URL('/live', service.dashboard), foreign)).status).toBe(403);
  const proxied = { headers: { 'x-forwarded-for': '203.0.113.9' } };
  expect((await fetch(new URL('/live', service.dashboard), proxied)).status).toBe(401);
  await service.close();
  expect(await next()).toBeUndefined();
});
