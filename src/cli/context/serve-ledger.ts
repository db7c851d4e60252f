import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { KeyStore } from '../../lake/keys/key-store.ts';
import type { SharedMonths } from '../../run/metrics/lake-scraper.ts';
import { spentOfKeys } from '../../run/plan/key-plan.ts';
import { PausedError } from '../../upstream/throttle/errors.ts';
import { keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { openKeys } from './key-store.ts';

/** Longest wait of a scrape or a page for the ledger; then the month is left out. */
const PATIENCE_MS = 2000;

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
  const times = { clock, patienceMs: PATIENCE_MS };
  const ledgers = new SharedLedgers(ledgerUrl, { ...times, lakeName });
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
