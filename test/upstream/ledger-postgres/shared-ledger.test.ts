import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { ClockWatch } from '../../../src/upstream/ledger-postgres/clock-watch.ts';
import { LedgerAwayError } from '../../../src/upstream/ledger-postgres/errors.ts';
import { limitWarnings } from '../../../src/upstream/ledger-postgres/init-ledger.ts';
import type { LedgerDb } from '../../../src/upstream/ledger-postgres/ledger-db.ts';
import { SharedLedger, sharedSpent } from '../../../src/upstream/ledger-postgres/shared-ledger.ts';
import { type CallOutcome, differingLimits } from '../../../src/upstream/throttle/ledger.ts';
import { monthWindow } from '../../../src/upstream/throttle/month.ts';
import { freshLake } from '../throttle/machine.ts';
import { age, dbAt, ledgerServer } from './ledger-server.ts';

const CALL = { runId: null, job: 'feed', request: 'GET /feed/tiktok' };
const MINUTE = 60_050;
const LIMITS = {
  ratePerMinute: 3,
  callsPerMonth: 1000,
  quotaReset: 'calendar',
  timeoutMs: 5000,
};
const ok = (more: Partial<CallOutcome> = {}): CallOutcome => ({
  status: 200,
  error: null,
  finishedAt: Date.now(),
  endedMono: 0,
  sent: true,
  rowsChanged: 0,
  ...more,
});

const servers = await ledgerServer();
const { lake, remove } = freshLake();
afterAll(remove);

/** A machine that counts in a ledger. */
const machine = (
  db: LedgerDb,
  limits: Partial<typeof LIMITS> = {},
  lakeName = 'berlin',
): SharedLedger =>
  new SharedLedger({
    db,
    watch: new ClockWatch(),
    lake,
    lakeName,
    clock: systemClock,
    sender: 'one',
    hash: 'the hash',
    limits: { ...LIMITS, ...limits },
  });

const admitted = async (ledger: SharedLedger): Promise<number> => {
  const admission = await ledger.admit(CALL);
  if ('callId' in admission) return admission.callId;
  throw new Error(`not admitted: ${JSON.stringify(admission)}`);
};

const count = async (db: LedgerDb, what: string): Promise<number> =>
  (await db.rows<{ n: number }>(`select count(*)::int as n from ${db.schema}.${what}`))[0]?.n ?? -1;

describe.skipIf(servers.missing !== undefined)(servers.missing ?? 'a ledger in PostgreSQL', () => {
  const ledgerOf = async () => {
    const made = await servers.freshLedger();
    onTestFinished(() => made.db.close());
    return made;
  };

  test('many machines together take no more slots than one key has', async () => {
    const { url } = await ledgerOf();
    const machines = Array.from({ length: 4 }, () => {
      const db = dbAt(url);
      onTestFinished(() => db.close());
      return machine(db, { ratePerMinute: 20 });
    });
    const admissions = await Promise.all(
      Array.from({ length: 40 }, (_, each) => machines[each % 4]?.admit(CALL)),
    );
    expect(admissions.filter((one) => one !== undefined && 'callId' in one)).toHaveLength(20);
    expect(await machines[0]?.admit(CALL)).toEqual({ waitMs: 1000 });
  });

  test('a slot is held for a minute after its end, and as long as it may last without one', async () => {
    const { db } = await ledgerOf();
    const ledger = machine(db);
    const calls = [await admitted(ledger), await admitted(ledger), await admitted(ledger)];
    ledger.settle(calls[0] ?? 0, ok());
    ledger.settle(calls[1] ?? 0, ok({ sent: false, status: null, error: 'found nobody' }));
    await ledger.drain();
    expect((await ledger.spent()).month.spent).toBe(2);
    await admitted(ledger); // in the place of the one that found nobody
    expect(await ledger.admit(CALL)).toHaveProperty('waitMs');
    await age(db, MINUTE);
    await admitted(ledger);
    expect(await ledger.admit(CALL)).toHaveProperty('waitMs'); // two in flight may still arrive
    await age(db, LIMITS.timeoutMs + 100);
    await admitted(ledger);
  });

  test('settling again changes nothing, and a lake’s transaction that failed leaves the call counted', async () => {
    const { db } = await ledgerOf();
    const ledger = machine(db);
    const call = await admitted(ledger);
    expect(() =>
      ledger.together(() => {
        ledger.settle(call, ok({ sent: false }));
        throw new Error('the disk is full');
      }),
    ).toThrow('the disk is full');
    await ledger.drain();
    ledger.settle(call, ok({ sent: false }));
    await db.call('settle', 'the hash', 1, { ...ok({ sent: false }), hints: [] });
    await ledger.drain();
    expect((await ledger.spent()).month.spent).toBe(0);
    expect(await count(db, 'calls where status = 200')).toBe(1);
  });

  test('a spent month stops every machine until calls are free again', async () => {
    const { db } = await ledgerOf();
    const [one, other] = [machine(db, { callsPerMonth: 2 }), machine(db, { callsPerMonth: 2 })];
    await admitted(one);
    await admitted(other);
    const refused = await one.admit(CALL);
    const { endsAt } = monthWindow('calendar', Date.now());
    expect(refused).toMatchObject({ why: 'All 2 calls of the month are spent.' });
    expect(Math.abs(('spentUntil' in refused ? refused.spentUntil : 0) - endsAt)).toBeLessThan(
      60_000,
    );
    expect((await other.spent()).byHand).toBe(2);
  });

  test('the smallest limits that machines state hold for all, and who differs is named', async () => {
    const { db } = await ledgerOf();
    const small = machine(db, { ratePerMinute: 3, callsPerMonth: 5 });
    const large = machine(db, { ratePerMinute: 60, callsPerMonth: 100 }, 'paris');
    await admitted(small);
    await admitted(large);
    await admitted(large);
    expect(await large.admit(CALL)).toEqual({ waitMs: 1000 });
    const { month, moment } = await large.spent();
    expect(month).toMatchObject({ limit: 5, spent: 3, remaining: 2 });
    const reader = { callsPerMonth: 50_000, quotaReset: 'calendar' }; // `serve` makes no calls
    expect(await sharedSpent(db, 'the hash', reader, Date.now())).toMatchObject({
      month: { limit: 5, remaining: 2 },
    });
    const named =
      'Machines state different limits for this key: berlin 3 a minute and 5 a month, paris 60 a minute and 100 a month. The smallest hold. Set the same TRENDLAKE_TIER on all of them.';
    expect(differingLimits(moment?.members ?? [])).toBe(named);
    expect(await limitWarnings(db)).toEqual([named]);
    await age(db, MINUTE + LIMITS.timeoutMs);
    await admitted(large);
    await admitted(large);
    expect(await large.admit(CALL)).toMatchObject({ why: 'All 5 calls of the month are spent.' });
  });

  test('limits of a machine that made no call for a day are forgotten', async () => {
    const { db } = await ledgerOf();
    const large = machine(db, { ratePerMinute: 60 }, 'paris');
    await admitted(machine(db, { ratePerMinute: 1 }));
    expect(await large.admit(CALL)).toHaveProperty('waitMs');
    await db.rows(`update ${db.schema}.members set seen_at = seen_at - $1 where lake = 'berlin'`, [
      DAY_MS,
    ]);
    await admitted(large);
    expect((await large.spent()).moment?.members?.map((member) => member.lake)).toEqual(['paris']);
  });

  test('a pause holds for every machine, and a shorter one does not end it', async () => {
    const { db } = await ledgerOf();
    const [one, other] = [machine(db), machine(db)];
    await admitted(one);
    await one.pause(7_200_000, 'Too many requests.');
    await other.pause(1000, 'A moment.');
    const refused = await other.admit(CALL);
    expect(refused).toMatchObject({ pause: { reason: 'Too many requests.' } });
    expect((await other.spent()).moment).toMatchObject({
      inMinute: 1,
      pause: { reason: 'Too many requests.' },
    });
    await age(db, 3_600_000); // tried again every hour
    expect((await other.spent()).moment).toMatchObject({ inMinute: 0, pause: null });
    await admitted(other);
  });

  test('what the service says of its limits is believed by every machine', async () => {
    const { db } = await ledgerOf();
    const [one, other] = [machine(db), machine(db)];
    const call = await admitted(one);
    one.together(() => {
      one.settle(call, ok(), {
        'x-ratelimit-limit-month': '1000',
        'x-ratelimit-remaining-month': '1',
      });
    });
    await one.drain();
    expect((await other.spent()).month.remaining).toBe(1);
    await admitted(other);
    expect(await other.admit(CALL)).toMatchObject({
      why: expect.stringContaining('somebody else'),
    });
  });

  test('of responses that overlap the least that is left counts, and a call in flight may take it', async () => {
    const { db } = await ledgerOf();
    const [one, other] = [machine(db), machine(db)];
    const ended = async (ledger: SharedLedger, call: number, left: number): Promise<void> => {
      ledger.together(() => {
        ledger.settle(call, ok(), {
          'x-ratelimit-limit-month': '1000',
          'x-ratelimit-remaining-month': String(left),
        });
      });
      await ledger.drain();
    };
    const [first, second] = [await admitted(one), await admitted(other)];
    await ended(other, second, 1); // counted before the first, or after it: nobody knows
    expect((await one.spent()).month.remaining).toBe(0);
    expect(await other.admit(CALL)).toEqual({ untilEndedMs: 1000 });
    await ended(one, first, 2); // it was counted before the second
    expect((await one.spent()).month.remaining).toBe(1);
    const third = await admitted(one);
    await ended(one, third, 5); // a new month began
    expect((await other.spent()).month.remaining).toBe(5);
  });

  test('parts of numbers and half a character keep no call from being settled', async () => {
    const { db } = await ledgerOf();
    const ledger = machine(db);
    const call = await admitted(ledger);
    ledger.together(() => {
      ledger.settle(call, ok({ status: 429, error: `Slow down ${'🔥'.slice(0, 1)}` }), {
        'x-ratelimit-limit-month': '1000.5',
        'x-ratelimit-remaining-month': '7.5',
        'x-ratelimit-reset-month': '86400.0001',
      });
    });
    await ledger.drain();
    expect(await count(db, 'calls where finished_at is not null')).toBe(1);
    expect((await ledger.spent()).month.remaining).toBe(7);
  });

  test('a call whose end the server refuses keeps no other from being settled', async () => {
    const { db } = await ledgerOf();
    const ledger = machine(db);
    const [first, second] = [await admitted(ledger), await admitted(ledger)];
    ledger.settle(first, ok({ error: 'no text of the server: \0' }));
    ledger.settle(second, ok());
    await ledger.drain();
    expect(await count(db, 'calls where finished_at is not null')).toBe(1);
  });

  test('months begin as they do in a lake', async () => {
    const { db } = await ledgerOf();
    // called from outside, it needs the schema of the functions it calls
    await db.rows(`alter function ${db.schema}.month_window set search_path = ${db.schema}`);
    const instants = fc.sample(fc.integer({ min: 0, max: 4_102_444_800_000 }), {
      numRuns: 300,
      seed: 7,
    });
    for (const reset of ['calendar', 'anchor:1', 'anchor:29', 'anchor:31', 'rolling']) {
      const rows = await db.rows<{ starts_at: string; ends_at: string }>(
        `select w.* from unnest($2::bigint[]) with ordinality i (at, n), ${db.schema}.month_window($1, i.at) w order by n`,
        [reset, instants],
      );
      expect(rows.map((row) => [Number(row.starts_at), Number(row.ends_at)])).toEqual(
        instants.map((at) => Object.values(monthWindow(reset, at))),
      );
    }
  });

  test('a stepped clock, or another server, holds every slot for a minute', async () => {
    const { db } = await ledgerOf();
    const ledger = machine(db);
    await admitted(ledger);
    await db.rows(`update ${db.schema}.keys set server_started = server_started - 1`);
    const refused = await ledger.admit(CALL);
    expect('waitMs' in refused ? refused.waitMs : 0).toBeGreaterThan(50_000);
    await age(db, MINUTE);
    await admitted(ledger);
    await db.call('hold_key', 'the hash', LIMITS);
    expect(await machine(db).admit(CALL)).toHaveProperty('waitMs');
  });

  test('a call whose admission was lost on the way is given back, and another is sent', async () => {
    const { url, db } = await ledgerOf();
    const folder = mkdtempSync('/tmp/tlpx-'); // a socket's path must be short
    const real = new URL(url).searchParams.get('host') ?? '';
    let cutsAfter: string | undefined = 'admit(';
    const sockets: Socket[] = [];
    const proxy = createServer((client) => {
      const behind = connect(join(real, '.s.PGSQL.5432'));
      sockets.push(client, behind);
      let isCut = false;
      client.on('data', (data) => {
        if (cutsAfter !== undefined && data.includes(cutsAfter)) {
          cutsAfter = undefined;
          isCut = true;
        }
        behind.write(data);
      });
      behind.on('data', (data) => {
        if (isCut) client.destroy();
        else client.write(data);
      });
      for (const socket of [client, behind]) socket.on('error', () => {});
    });
    proxy.listen(join(folder, '.s.PGSQL.5432'));
    await once(proxy, 'listening');
    const through = dbAt(url.replace(encodeURIComponent(real), encodeURIComponent(folder)));
    onTestFinished(async () => {
      await through.close();
      for (const socket of sockets) socket.destroy();
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const ledger = machine(through);
    await expect(ledger.admit(CALL)).rejects.toThrow(LedgerAwayError);
    await expect.poll(() => count(db, 'calls')).toBe(1);
    await admitted(ledger);
    expect((await ledger.spent()).month.spent).toBe(1);
    expect([await count(db, 'calls'), await count(db, 'calls where not sent')]).toEqual([2, 1]);
    await db.call('admit', 'the hash', { ...CALL, lake: 'berlin' }, LIMITS); // and its machine dies
    expect((await ledger.spent()).month.spent).toBe(2);
  });

  test('while the server is away nothing is admitted, and what was counted is there afterwards', async () => {
    const { db } = await ledgerOf();
    const ledger = machine(db);
    const call = await admitted(ledger);
    await servers.postgres.kill();
    const rows = (): unknown => lake.sqlite.prepare('select count(*) from calls').pluck().get();
    const before = rows();
    await expect(ledger.admit(CALL)).rejects.toMatchObject({
      exitCode: 75,
      transient: true,
      resumesAt: expect.any(Number),
    });
    expect(rows()).toBe(before);
    ledger.settle(call, ok());
    await ledger.drain(); // reported once the server is back
    await servers.postgres.start();
    await expect.poll(() => ledger.admit(CALL).catch(() => undefined)).toHaveProperty('waitMs'); // another server: a minute's rest
    await ledger.drain();
    expect(await count(db, 'calls where finished_at is not null')).toBe(1);
    expect((await ledger.spent()).month.spent).toBe(1);
  });
});
