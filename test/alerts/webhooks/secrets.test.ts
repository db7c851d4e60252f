import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { deliveriesPage } from '../../../src/alerts/webhooks/deliveries.ts';
import { flushDeliveries, revocationCheck } from '../../../src/alerts/webhooks/sender.ts';
import { readWish } from '../../../src/alerts/webhooks/subscription-wish.ts';
import {
  addSubscription,
  enableSubscription,
  listSubscriptions,
  removeSubscription,
  secretsOf,
} from '../../../src/alerts/webhooks/subscriptions.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { createKey, revokeKey } from '../../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import { LAKE_FILE } from '../../../src/lake/open.ts';
import { runCommand } from '../../support/run-command.ts';
import { freshLake } from '../events/made-lake.ts';
import { madeEndpoint, subscribe } from './made-endpoint.ts';
import { madeEvent } from './made-event.ts';

const T0 = Date.UTC(2026, 2, 1);
const random = () => 0;

/** True if any file of the lake itself, its journal too, holds a text. */
const lakeHolds = (dataDir: string, text: string): boolean =>
  readdirSync(dataDir)
    .filter((name) => name.startsWith(LAKE_FILE))
    .some((name) => readFileSync(join(dataDir, name)).includes(text));

test('a secret is in service.db and nowhere in the lake, and gone with its subscription', () => {
  const lake = freshLake();
  const { id, secret } = subscribe(lake, 'http://127.0.0.1:1/');
  const secrets = secretsOf(lake);
  expect(secrets.signing(id, 0)).toEqual([secret]);
  expect(lakeHolds(lake.dataDir, secret)).toBe(false);
  removeSubscription(lake, id, undefined);
  expect(secrets.signing(id, 0)).toEqual([]);
  secrets[Symbol.dispose]();
  for (const name of readdirSync(lake.dataDir).filter((file) => file.startsWith('service.db')))
    expect(readFileSync(join(lake.dataDir, name)).includes(secret)).toBe(false);
});

test('secrets that an older trendlake kept in the lake are moved, with a sentence', () => {
  const lake = freshLake();
  const { id } = subscribe(lake, 'http://127.0.0.1:1/');
  const opened = secretsOf(lake);
  opened.remove(id);
  const [old, older] = ['whsec_OLDOLDOLD', 'whsec_OLDER'];
  lake.sqlite
    .prepare('update subscriptions set secret = ?, previous_secret = ?, previous_secret_until = ?')
    .run(old, older, T0);
  lake.sqlite.pragma('wal_checkpoint(truncate)');
  expect(lakeHolds(lake.dataDir, old)).toBe(true);
  const told: string[] = [];
  const secrets = secretsOf(lake, (sentence) => void told.push(sentence));
  expect(secrets.signing(id, T0 - 1)).toEqual([old, older]);
  expect(secrets.signing(id, T0 + 1)).toEqual([old]);
  expect(lakeHolds(lake.dataDir, old) || lakeHolds(lake.dataDir, older)).toBe(false);
  expect(told).toEqual([expect.stringContaining('secrets of 1 webhook subscriptions were moved')]);
  secretsOf(lake, (sentence) => void told.push(sentence))[Symbol.dispose]();
  expect(told).toHaveLength(1);
  opened[Symbol.dispose]();
  secrets[Symbol.dispose]();
});

test('without its secret a delivery is not sent unsigned', async () => {
  const lake = freshLake();
  const endpoint = await madeEndpoint();
  const { id } = subscribe(lake, endpoint.url);
  const secrets = secretsOf(lake);
  secrets.remove(id);
  secrets[Symbol.dispose]();
  storeEvents(lake, [madeEvent(T0)], { now: T0 });
  await flushDeliveries(lake, { clock: virtualClock(T0), random });
  expect(endpoint.received).toEqual([]);
  expect(deliveriesPage(lake, { limit: 1 }).items[0]).toMatchObject({
    state: 'pending',
    error: expect.stringContaining(`webhooks rotate ${id}`),
  });
});

/** A lake with a key of its service that subscribed an endpoint of this machine. */
const subscribedByKey = async () => {
  const lake = freshLake();
  const endpoint = await madeEndpoint();
  const service = openServiceDb(lake.dataDir);
  const { id: keyId } = createKey(service, { useCase: 'test' }, T0).record;
  const wish = readWish({ url: endpoint.url, allowLoopbackHttp: true }, true);
  const { id } = addSubscription(lake, wish, { now: T0, owner: keyId });
  return { lake, endpoint, service, keyId, id };
};

test('revoking a key ends its subscriptions', async () => {
  const { lake, endpoint, service, keyId, id } = await subscribedByKey();
  service.close();
  const other = subscribe(lake, `${endpoint.url}/other`);
  storeEvents(lake, [madeEvent(T0)], { now: T0 });
  const { out } = await runCommand(['keys', 'revoke', keyId], { dataDir: lake.dataDir });
  expect(out).toContain('1 webhook subscriptions of it ended');
  storeEvents(lake, [madeEvent(T0, 1)], { now: T0 });
  await flushDeliveries(lake, { clock: virtualClock(T0), random });
  expect(endpoint.received.map(({ headers }) => headers['webhook-id'])).toEqual([
    expect.stringContaining(other.id),
    expect.stringContaining(other.id),
  ]);
  expect(listSubscriptions(lake, keyId)).toMatchObject([
    { id, disabledReason: 'its key was revoked' },
  ]);
  expect(() => enableSubscription(lake, id)).toThrow(/was revoked/);
  const secrets = secretsOf(lake);
  expect(secrets.signing(id, T0)).toEqual([]);
  secrets[Symbol.dispose]();
});

test('a key revoked on another machine receives nothing more, and who has keys is asked seldom', async () => {
  const { lake, endpoint, service, keyId, id } = await subscribedByKey();
  service.close();
  const clock = virtualClock(T0);
  let asked = 0;
  const revoked: string[] = [];
  const revokedKeys = async (): Promise<string[]> => {
    asked += 1;
    return revoked;
  };
  const endRevoked = revocationCheck(lake, { clock, revokedKeys });
  await endRevoked();
  revoked.push('key_of_nobody_here', keyId);
  await endRevoked();
  expect(asked).toBe(1);
  storeEvents(lake, [madeEvent(T0)], { now: T0 });
  await flushDeliveries(lake, { clock, random, revokedKeys });
  expect(endpoint.received).toEqual([]);
  expect(listSubscriptions(lake, keyId)).toMatchObject([
    { id, disabledReason: 'its key was revoked' },
  ]);
  clock.advanceTo(T0 + HOUR_MS);
  await endRevoked(); // no key has subscriptions any more
  expect(asked).toBe(2);
});

test('a key revoked without notice to the lake receives nothing more either', async () => {
  const { lake, endpoint, service, keyId, id } = await subscribedByKey();
  storeEvents(lake, [madeEvent(T0)], { now: T0 });
  revokeKey(service, keyId, T0 + HOUR_MS);
  service.close();
  await flushDeliveries(lake, { clock: virtualClock(T0 + DAY_MS), random });
  expect(endpoint.received).toEqual([]);
  expect(listSubscriptions(lake, keyId)).toMatchObject([{ id, disabledAt: T0 + DAY_MS }]);
});

test('a flush that fails leaves no secrets open', async () => {
  const { lake, service, id } = await subscribedByKey();
  service.close();
  storeEvents(lake, [madeEvent(T0)], { now: T0 });
  const revokedKeys = () => Promise.reject(new Error('the shared ledger is broken'));
  const flush = flushDeliveries(lake, { clock: virtualClock(T0), random, revokedKeys });
  await expect(flush).rejects.toThrow('the shared ledger is broken');
  // SQLite removes the journal when the last connection to a database closes
  expect(readdirSync(lake.dataDir)).not.toContain('service.db-wal');
  expect(listSubscriptions(lake, undefined)).toMatchObject([{ id, disabledAt: null }]);
});
