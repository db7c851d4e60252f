import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventOf } from '../src/alerts/events/event.ts';
import { storableEvent, storeEvents } from '../src/alerts/events/outbox.ts';
import { readWish } from '../src/alerts/webhooks/subscription-wish.ts';
import { addSubscription } from '../src/alerts/webhooks/subscriptions.ts';
import { systemClock } from '../src/base/clock.ts';
import { openLake } from '../src/lake/open.ts';

// Events to endpoints of which some are dead, while the sender is killed again and again: what
// every living endpoint received, how often twice, and how soon after the sender was back.
//
//   npm run bench webhooks [-- EVENTS ENDPOINTS DEAD KILLS]

const [EVENTS = 1000, ENDPOINTS = 20, DEAD = 5, KILLS = 50] = process.argv.slice(2).map(Number);
const sender = join(import.meta.dirname, '..', 'test', 'alerts', 'webhooks', 'sender-process.ts');
const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
const lake = openLake(folder);
const subscribe = (url: string): void =>
  void addSubscription(lake, readWish({ url, allowLoopbackHttp: true }, true), {
    now: 0,
    owner: undefined,
  });

const received: Map<string, number>[] = [];
const servers = await Promise.all(
  Array.from({ length: ENDPOINTS - DEAD }, async () => {
    const ids = new Map<string, number>();
    received.push(ids);
    const server = createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      ids.set(id, (ids.get(id) ?? 0) + 1);
      request.resume().on('end', () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    subscribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return server;
  }),
);
for (let dead = 0; dead < DEAD; dead += 1) subscribe(`http://127.0.0.1:1/${dead}`);

const now = systemClock.now();
const events = Array.from({ length: EVENTS }, (_, number) =>
  storableEvent(
    eventOf(
      { kind: 'trend.spike', platform: 'tiktok', subject: { kind: 'video', id: `tt_${number}` } },
      { window: { from: now - 1000, to: now }, evidence: { views: number } },
    ),
  ),
);
const { queued } = storeEvents(lake, events, { now });
const letters = (): number =>
  received.reduce((sum, ids) => sum + [...ids.values()].reduce((a, b) => a + b, 0), 0);
const distinct = (): number => received.reduce((sum, ids) => sum + ids.size, 0);
const expected = EVENTS * (ENDPOINTS - DEAD);

let child: ChildProcess | undefined;
const until = async (reached: () => boolean): Promise<void> => {
  while (!reached()) await systemClock.sleep(1);
};
const startedAt = systemClock.monotonic();
for (let kill = 0; kill < KILLS; kill += 1) {
  const goal = Math.min(distinct() + Math.ceil(expected / (KILLS + 1)), expected);
  child = spawn(process.execPath, [sender, folder], { stdio: 'inherit' });
  await until(() => distinct() >= goal);
  child.kill('SIGKILL');
  await once(child, 'exit');
}
child = spawn(process.execPath, [sender, folder], { stdio: 'inherit' });
await until(() => distinct() >= expected);
const seconds = (systemClock.monotonic() - startedAt) / 1000;
await systemClock.sleep(500);
child.kill('SIGTERM');

// With the backlog gone: how long a fresh event takes to every living endpoint, dead ones beside.
const turn = spawn(process.execPath, [sender, folder], { stdio: 'inherit' });
await systemClock.sleep(3000);
const before = distinct();
const freshAt = systemClock.monotonic();
storeEvents(
  lake,
  events.slice(0, 1).map((event) => ({ ...event, id: 'evt_fresh' })),
  { now },
);
await until(() => distinct() >= before + ENDPOINTS - DEAD);
const freshMs = Math.round(systemClock.monotonic() - freshAt);
turn.kill('SIGTERM');

console.log(
  `${EVENTS} events, ${ENDPOINTS} endpoints (${DEAD} dead), ${queued} deliveries, ${KILLS} kills: ${distinct() - (ENDPOINTS - DEAD)} of ${expected} received, ${letters() - distinct()} repeats, ${seconds.toFixed(1)} s; then a fresh event reached all living ones after ${freshMs} ms`,
);
for (const server of servers) {
  server.closeAllConnections();
  server.close();
}
lake.close();
rmSync(folder, { recursive: true, force: true });
