import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Secret } from '../../base/secret.ts';
import type { SharedSlotBook } from '../../run/schedule/slot-book.ts';
import { PausedError } from '../../upstream/throttle/errors.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import type { LedgerSource } from '../../upstream/throttle/ledger.ts';

/** Ledgers of keys. Closing them ends their connections. */
export interface OpenLedgers extends LedgerSource, AsyncDisposable {
  /** Schedule shared by daemons with these keys, if they share a ledger. */
  slots?(keys: readonly Secret[], owner: string): SharedSlotBook;
  close(): Promise<void>;
}

const close = async (): Promise<void> => {};
const LAKE: OpenLedgers = { ...LAKE_LEDGERS, close, [Symbol.asyncDispose]: close };

/**
 * The shared ledger if configured, otherwise the lake's. PostgreSQL's client is loaded only for the
 * first.
 * @param waits true: an unreachable ledger pauses calls instead of failing
 * @param stopping aborts when the process is asked to end
 * @throws LedgerError if the address has no ledger; LedgerAwayError if it cannot be reached
 */
export const openLedgers = async (
  { ledgerUrl, lake: lakeName = hostname() }: Pick<Config, 'ledgerUrl' | 'lake'>,
  clock: Clock,
  { waits = false, stopping }: { waits?: boolean; stopping?: AbortSignal } = {},
): Promise<OpenLedgers> => {
  if (ledgerUrl === undefined) return LAKE;
  const { SharedLedgers } = await import('../../upstream/ledger-postgres/shared-ledgers.ts');
  const ledgers = new SharedLedgers(ledgerUrl, { clock, lakeName, stopping });
  try {
    await ledgers.check();
    return ledgers;
  } catch (error) {
    if (waits && error instanceof PausedError) return ledgers;
    await ledgers.close();
    throw error;
  }
};
