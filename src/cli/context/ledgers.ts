import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Secret } from '../../base/secret.ts';
import type { SharedSlotBook } from '../../run/schedule/slot-book.ts';
import { PausedError } from '../../upstream/throttle/errors.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import type { LedgerSource } from '../../upstream/throttle/ledger.ts';

/** Where calls are counted, by the settings. */
export interface OpenLedgers {
  readonly ledgers: LedgerSource;
  /** The schedule that daemons with these keys share, where they share a ledger. */
  slots?(keys: readonly Secret[], owner: string): SharedSlotBook;
  close(): Promise<void>;
}

/**
 * The shared ledger where the settings name one, else the lake's own; PostgreSQL's client is loaded only
 * for the first.
 * @param waits true: one that cannot be reached now is no failure; calls pause until it can be
 * @throws LedgerError where there is none at the address; LedgerAwayError when it cannot be reached
 */
export const openLedgers = async (
  { ledgerUrl, lake: lakeName = hostname() }: Pick<Config, 'ledgerUrl' | 'lake'>,
  clock: Clock,
  { waits = false }: { waits?: boolean } = {},
): Promise<OpenLedgers> => {
  if (ledgerUrl === undefined) return { ledgers: LAKE_LEDGERS, close: async () => {} };
  const { SharedLedgers } = await import('../../upstream/ledger-postgres/shared-ledgers.ts');
  const ledgers = new SharedLedgers(ledgerUrl, { clock, lakeName });
  const open: OpenLedgers = {
    ledgers,
    slots: (keys, owner) => ledgers.slots(keys, owner),
    close: () => ledgers.close(),
  };
  try {
    await ledgers.check();
    return open;
  } catch (error) {
    if (waits && error instanceof PausedError) return open;
    await ledgers.close();
    throw error;
  }
};
