import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Secret } from '../../../src/base/secret.ts';
import { ClockWatch } from '../../../src/upstream/ledger-postgres/clock-watch.ts';
import { LedgerAwayError } from '../../../src/upstream/ledger-postgres/errors.ts';
import { openLedgerDb } from '../../../src/upstream/ledger-postgres/ledger-db.ts';
import { SharedLedger } from '../../../src/upstream/ledger-postgres/shared-ledger.ts';
import { freshLake } from '../throttle/machine.ts';
import { dbAt, ledgerServer } from './ledger-server.ts';

// A server whose synchronous standby is down finishes no commit: it waits until the standby is back.

const CALL = { runId: 1, job: 'feed', request: 'GET /feed/tiktok' };
const LIMITS = { ratePerMinute: 60, callsPerMonth: 1000, quotaReset: 'calendar', timeoutMs: 5000 };

const servers = await ledgerServer();

describe.skipIf(servers.missing !== undefined)(servers.missing ?? 'with its standby down', () => {
  /** A machine that stops waiting for an answer soon, and a connection that waits for no standby. */
  const world = async () => {
    const { url, db } = await servers.freshLedger();
    const { lake, remove } = freshLake();
    const options = { clock: systemClock, patienceMs: 300, answerMs: 300 };
    const ledgerDb = openLedgerDb(new Secret(url), options);
    const watching = dbAt(url);
    await watching.rows("set synchronous_commit = 'local'");
    onTestFinished(async () => {
      await setStandby('');
      await Promise.all([db.close(), ledgerDb.close(), watching.close()]);
      remove();
    });
    const setStandby = async (name: string): Promise<void> => {
      await watching.rows(`alter system set synchronous_standby_names = '${name}'`);
      await watching.rows('select pg_reload_conf()');
      const shown = 'select current_setting($1) as value';
      for (;;) {
        const [row] = await watching.rows<{ value: string }>(shown, ['synchronous_standby_names']);
        if (row?.value === name) return;
      }
    };
    const ledger = new SharedLedger({
      db: ledgerDb,
      watch: new ClockWatch(),
      lake,
      lakeName: 'berlin',
      clock: systemClock,
      sender: 'one',
      hash: 'the hash',
      limits: LIMITS,
    });
    return { ledger, watching, setStandby };
  };

  test('no backend piles up, and calls that never left do not count', async () => {
    const { ledger, watching, setStandby } = await world();
    await setStandby('nobody');
    const isAdmitted = (): Promise<boolean> =>
      ledger.admit(CALL).then(
        () => true,
        () => false,
      );
    let admitted = 0; // the server takes note of the standby a little later
    for (let refused = 0; refused < 5; ) {
      if (await isAdmitted()) [admitted, refused] = [admitted + 1, 0];
      else refused += 1;
    }
    await expect(ledger.admit(CALL)).rejects.toThrow(LedgerAwayError);
    const busy =
      "select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()";
    await expect.poll(async () => (await watching.rows<{ n: number }>(busy))[0]?.n).toBeLessThan(2);
    await setStandby('');
    await expect
      .poll(async () => {
        if (await isAdmitted()) admitted += 1;
        const { month } = await ledger.spent();
        return month.spent - admitted;
      })
      .toBe(0);
  });
});
