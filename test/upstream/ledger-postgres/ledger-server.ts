import { systemClock } from '../../../src/base/clock.ts';
import { postgresAddress } from '../../../src/base/config/postgres-url.ts';
import { initLedger } from '../../../src/upstream/ledger-postgres/init-ledger.ts';
import { LedgerDb } from '../../../src/upstream/ledger-postgres/ledger-db.ts';
import { type TestPostgres, testPostgres } from '../../support/postgres-server.ts';

/** Connections to a ledger; gives up at once. */
export const dbAt = (url: string): LedgerDb => {
  const address = postgresAddress(url);
  if (address === undefined) throw new Error('no address');
  return new LedgerDb(address, { clock: systemClock, patienceMs: 0 });
};

/** Lets all that a ledger knows be older by `ms`. */
export const age = async (db: LedgerDb, ms: number): Promise<void> => {
  const { schema } = db;
  await db.rows(`update ${schema}.calls set sent_at = sent_at - ${ms}, free_at = free_at - ${ms}`);
  await db.rows(`update ${schema}.keys set held_until = held_until - ${ms},
    pause_set_at = pause_set_at - ${ms}, pause_until = pause_until - ${ms}`);
  await db.rows(`update ${schema}.slots set alive_at = alive_at - ${ms}`);
  await db.rows(
    `update ${schema}.hints set seen_at = seen_at - ${ms}, resets_at = resets_at - ${ms}`,
  );
};

let schemas = 0;

/** The server of the tests, and ledgers in it. */
export class LedgerServer {
  readonly #started: TestPostgres | { missing: string };

  constructor(started: TestPostgres | { missing: string }) {
    this.#started = started;
  }

  /** Reason that PostgreSQL is missing. Its tests are then skipped. */
  get missing(): string | undefined {
    return 'missing' in this.#started ? this.#started.missing : undefined;
  }

  get postgres(): TestPostgres {
    if ('missing' in this.#started) throw new Error(this.#started.missing);
    return this.#started;
  }

  /** An address of a ledger that nobody has made yet. */
  freshUrl(): string {
    schemas += 1;
    return this.postgres.url(`ledger_${schemas}`);
  }

  /** A separate ledger for one test. */
  async freshLedger(): Promise<{ url: string; db: LedgerDb }> {
    const url = this.freshUrl();
    const db = dbAt(url);
    await initLedger(db);
    return { url, db };
  }
}

/** Ledgers for the tests of a file; the server is that of all files of this process. */
export const ledgerServer = async (): Promise<LedgerServer> =>
  new LedgerServer(await testPostgres());
