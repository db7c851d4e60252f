import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Schedule, type Scheduled } from '../../../src/run/schedule/schedule.ts';
import { LakeSlots, partlySharedSlots } from '../../../src/run/schedule/slot-book.ts';
import { SharedSlots } from '../../../src/upstream/ledger-postgres/shared-slots.ts';
import { freshLake } from '../../support/fresh.ts';
import { age, ledgerServer } from './ledger-server.ts';

const servers = await ledgerServer();
const DEAD_MS = 61_000;

describe.skipIf(servers.missing !== undefined)(servers.missing ?? 'slots in PostgreSQL', () => {
  const fleetOf = async () => {
    const { db } = await servers.freshLedger();
    onTestFinished(() => db.close());
    const daemon = (lakeName: string, fleet = 'ours') =>
      new SharedSlots(db, { fleet, lakeName, owner: `${lakeName}, once` });
    return { db, daemon };
  };

  test('of several daemons one takes a slot, once', async () => {
    const { daemon } = await fleetOf();
    const slot = { job: 'feed', slotAt: Date.now() };
    const daemons = ['berlin', 'oslo', 'rome'].map((name) => daemon(name));
    const claims = await Promise.all(daemons.map((one) => one.claim(slot)));
    expect(claims.filter((mine) => mine)).toHaveLength(1);
    expect(await Promise.all(daemons.map((one) => one.claim(slot)))).not.toContain(true);
    expect(await daemon('other keys', 'theirs').claim(slot)).toBe(true);
    expect(await daemons[0]?.claim({ ...slot, job: 'trends' })).toBe(true);
  });

  test('a slot that is given back is free, one that is done is not', async () => {
    const { daemon } = await fleetOf();
    const [one, other] = [daemon('berlin'), daemon('oslo')];
    const slot = { job: 'feed', slotAt: Date.now() };
    await one.claim(slot);
    await one.giveBack(slot);
    expect(await other.claim(slot)).toBe(true);
    await other.done(slot);
    await other.done(slot);
    expect(await one.claim(slot)).toBe(false);
  });

  test('of daemons that died the newest slot of each job is taken over, once; nobody else’s is', async () => {
    const { db, daemon } = await fleetOf();
    const [dead, one, other] = [daemon('berlin'), daemon('oslo'), daemon('rome')];
    const at = Date.now();
    await dead.claim({ job: 'feed', slotAt: at - 1 });
    await dead.claim({ job: 'feed', slotAt: at });
    await dead.claim({ job: 'trends', slotAt: at });
    await dead.done({ job: 'trends', slotAt: at });
    await dead.claim({ job: 'growth', slotAt: at });
    const jobs = ['feed', 'trends'];
    expect(await one.takeOver(jobs)).toEqual([]);
    await age(db, DEAD_MS);
    await dead.keepAlive();
    expect(await one.takeOver(jobs)).toEqual([]);
    await age(db, DEAD_MS);
    const taken = await Promise.all([one.takeOver(jobs), other.takeOver(jobs)]);
    expect(taken.flat()).toEqual([{ job: 'feed', slotAt: at }]);
    await age(db, 2 * 3_600_000); // whatever was so long ago shows nothing of now
    expect(await dead.takeOver(jobs)).toEqual([]);
  });

  test('a claim that nobody took over is recorded as missed, with its reason', async () => {
    const { db, daemon } = await fleetOf();
    const [dead, alive] = [daemon('berlin'), daemon('oslo')];
    const at = Math.floor(Date.now() / 1000) * 1000;
    await dead.claim({ job: 'feed', slotAt: at - 50 });
    await dead.claim({ job: 'trends', slotAt: at - 50 });
    await age(db, 2 * 3_600_000);
    await alive.claim({ job: 'feed', slotAt: at });
    expect(await alive.takeOver(['feed', 'trends'])).toEqual([]);
    const rows = await db.rows<{ missed: string | null }>(
      `select missed from ${db.schema}.slots order by job, slot_at`,
    );
    expect(rows.map(({ missed }) => missed)).toEqual([
      'Its daemon died, and a later slot was done instead.',
      null,
      'Its daemon died, and no daemon took it over within the hour.',
    ]);
  });

  test('a daemon goes on where another died, under its own name; what is its lake’s own it does itself', async () => {
    const { db, daemon } = await fleetOf();
    const at = Math.floor(Date.now() / 1000) * 1000;
    const scheduled = (name: string): Scheduled => ({
      name,
      cron: { previousSlot: () => at, slots: () => [] },
    });
    await daemon('berlin').claim({ job: 'feed', slotAt: at });
    await age(db, DEAD_MS);
    const lake = freshLake();
    const stopping = new AbortController();
    const batches: string[][] = [];
    const told: string[] = [];
    await new Schedule({
      lake,
      clock: systemClock,
      signal: stopping.signal,
      jobs: [scheduled('feed'), scheduled('export')],
      slots: partlySharedSlots(
        (job) => job === 'feed',
        daemon('oslo'),
        new LakeSlots(lake, systemClock, 'oslo'),
      ),
      runJobs: async (names) => {
        batches.push(names.toSorted());
        stopping.abort(new Error('enough'));
        return { resumesAt: null, retry: [] };
      },
      report: (sentence) => void told.push(sentence),
      warn: (sentence) => void told.push(sentence),
      fail: (sentence) => void told.push(sentence),
    }).run();
    expect(batches).toEqual([['export', 'feed']]);
    expect(told).toEqual([
      expect.stringMatching(/^Took over .*: the daemon that claimed it has died/),
    ]);
    const rows = await db.rows(`select lake, done_at is not null as done from ${db.schema}.slots`);
    expect(rows).toEqual([{ lake: 'oslo', done: true }]);
    expect(lake.sqlite.prepare('select job from slots').pluck().all()).toEqual(['export']);
  });
});
