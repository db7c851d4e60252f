import type { RevokedKeys } from '../../alerts/webhooks/revoked-keys.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { type KeyStore, LakeKeys } from '../../lake/keys/key-store.ts';
import { PausedError } from '../../upstream/throttle/errors.ts';

/** Longest wait of a request for the ledger; then it is refused. */
const PATIENCE_MS = 2000;

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
  const { LedgerDb } = await import('../../upstream/ledger-postgres/ledger-db.ts');
  const { SharedKeys } = await import('../../upstream/ledger-postgres/shared-keys.ts');
  const { addressOf } = await import('../../upstream/ledger-postgres/shared-ledgers.ts');
  const { checkLedger } = await import('../../upstream/ledger-postgres/init-ledger.ts');
  const times = { clock, patienceMs: PATIENCE_MS, answerMs: PATIENCE_MS };
  const db = new LedgerDb(addressOf(ledgerUrl), times);
  try {
    await checkLedger(db);
    return new SharedKeys(db);
  } catch (error) {
    await db.close();
    throw error;
  }
};
