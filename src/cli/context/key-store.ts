import { hostname } from 'node:os';
import type { RevokedKeys } from '../../alerts/webhooks/sender.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { type KeyStore, LakeKeys } from '../../lake/keys/key-store.ts';
import type { SharedMonths } from '../../run/metrics/metrics.ts';
import { spentOfKeys } from '../../run/plan/key-plan.ts';
import { PausedError } from '../../upstream/throttle/errors.ts';
import { keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';

/**
 * Longest wait for the ledger. Then a request is refused, and a scrape or page leaves the month
 * out.
 */
const TIMES = { patienceMs: 2000, answerMs: 2000 };

/** Parts of `serve` that live in the shared ledger; empty without one. */
export interface ServeLedger {
  readonly keys?: KeyStore;
  readonly sharedMonths?: SharedMonths;
  /** Calls spent this month by each key, at an instant (Unix ms). */
  readonly spent?: (now: number) => Promise<MonthSpent[]>;
  close(): Promise<void>;
}

/**
 * @param clock the real clock, even if `serve` shows another time
 * @throws LedgerError if the address has no ledger; LedgerAwayError if it cannot be reached
 */
export const serveLedger = async (config: Config, clock: Clock): Promise<ServeLedger> => {
  const { ledgerUrl, lake: lakeName = hostname() } = config;
  if (ledgerUrl === undefined) return { close: async () => {} };
  const keys = await openKeys(config, clock);
  const { SharedLedgers } = await import('../../upstream/ledger-postgres/shared-ledgers.ts');
  const ledgers = new SharedLedgers(ledgerUrl, { clock, lakeName, ...TIMES });
  const monthOf = async (key: OwnKey, now: number): Promise<MonthState | null> => {
    try {
      return (await ledgers.spent(undefined, key, now)).month;
    } catch (error) {
      if (error instanceof PausedError) return null;
      throw error;
    }
  };
  const sharedMonths: SharedMonths = (now) =>
    Promise.all(keysOf(config).map((key) => monthOf(key, now)));
  const spent = (now: number): Promise<MonthSpent[]> =>
    spentOfKeys(undefined, config, { ledgers, now });
  return { keys, sharedMonths, spent, close: () => ledgers.close() };
};

/**
 * Ids of revoked keys in the shared ledger; undefined without one. Unchanged while the ledger
 * cannot be reached.
 */
export const revokedElsewhere = (
  config: Pick<Config, 'dataDir' | 'ledgerUrl'>,
  clock: Clock,
): RevokedKeys | undefined =>
  config.ledgerUrl === undefined
    ? undefined
    : async () => {
        try {
          await using keys = await openKeys(config, clock);
          const all = await keys.list();
          return all.flatMap(({ id, revokedAt }) => (revokedAt === null ? [] : [id]));
        } catch (error) {
          if (error instanceof PausedError) return [];
          throw error;
        }
      };

/**
 * Keys of the service: in the shared ledger if configured, otherwise in the data directory.
 * @throws LedgerError if the address has no ledger; LedgerAwayError if it cannot be reached
 */
export const openKeys = async (
  { dataDir, ledgerUrl }: Pick<Config, 'dataDir' | 'ledgerUrl'>,
  clock: Clock,
): Promise<KeyStore> => {
  if (ledgerUrl === undefined) return new LakeKeys(dataDir);
  const { openLedgerDb } = await import('../../upstream/ledger-postgres/ledger-db.ts');
  const { SharedKeys } = await import('../../upstream/ledger-postgres/shared-keys.ts');
  const { checkLedger } = await import('../../upstream/ledger-postgres/init-ledger.ts');
  const db = openLedgerDb(ledgerUrl, { clock, ...TIMES });
  try {
    await checkLedger(db);
    return new SharedKeys(db);
  } catch (error) {
    await db.close();
    throw error;
  }
};
