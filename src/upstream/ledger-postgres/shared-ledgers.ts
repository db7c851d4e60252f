import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Secret } from '../../base/secret.ts';
import type { Lake } from '../../lake/open.ts';
import { KeyUnsetError } from '../throttle/errors.ts';
import type { KeyLimits, Ledger, LedgerSource, MonthSpent } from '../throttle/ledger.ts';
import { emptyMonth } from '../throttle/month.ts';
import { ClockWatch } from './clock-watch.ts';
import { checkLedger } from './init-ledger.ts';
import { type DbOptions, type LedgerDb, openLedgerDb } from './ledger-db.ts';
import { SharedLedger, sharedSpent } from './shared-ledger.ts';
import { SharedSlots } from './shared-slots.ts';

/** The only form in which a key of the service stands in the shared ledger. */
const keyHash = (key: Secret): string => createHash('sha256').update(key.reveal()).digest('hex');

/** The ledgers of all keys in one PostgreSQL. */
export class SharedLedgers implements LedgerSource {
  readonly #db: LedgerDb;
  readonly #lakeName: string;
  readonly #watch = new ClockWatch();
  #checked: Promise<void> | undefined;

  /** @param lakeName under which this machine's calls and slots stand there */
  constructor(
    url: Secret,
    {
      lakeName,
      ...options
    }: Pick<DbOptions, 'clock' | 'patienceMs' | 'answerMs' | 'stopping'> & { lakeName: string },
  ) {
    this.#db = openLedgerDb(url, options);
    this.#lakeName = lakeName;
  }

  open(lake: Lake, limits: KeyLimits, by: { clock: Clock; sender: string }): Ledger {
    const { apiKey, ratePerMinute, callsPerMonth, quotaReset, timeoutMs, key } = limits;
    if (apiKey === undefined) throw new TypeError('a shared ledger needs a key');
    return new SharedLedger({
      db: this.#db,
      watch: this.#watch,
      lake,
      lakeName: this.#lakeName,
      ...by,
      hash: keyHash(apiKey),
      keyName: key?.name,
      limits: { ratePerMinute, callsPerMonth, quotaReset, timeoutMs },
    });
  }

  async spent(
    _lake: Pick<Lake, 'sqlite'> | undefined,
    limits: Omit<KeyLimits, 'timeoutMs'>,
    now: number,
  ): Promise<MonthSpent> {
    const { apiKey, key } = limits;
    if (apiKey === undefined && key !== undefined) throw new KeyUnsetError(key.name);
    const hash = apiKey === undefined ? await this.#lastHash() : keyHash(apiKey);
    if (hash === undefined) return { month: emptyMonth(limits, now), byHand: 0, at: now };
    return sharedSpent(this.#db, hash, limits, now);
  }

  /** Hash of the key that this lake used last, for a `serve` that is not given the key. */
  async #lastHash(): Promise<string | undefined> {
    const { schema } = this.#db;
    const [newest] = await this.#db.rows<{ hash: string }>(
      `select k.hash from ${schema}.members m join ${schema}.keys k on k.id = m.key_id
       where m.lake = $1 order by m.seen_at desc limit 1`,
      [this.#lakeName],
    );
    return newest?.hash;
  }

  /** The schedule that daemons with the same keys share. `owner` is unique to this process. */
  slots(keys: readonly Secret[], owner: string): SharedSlots {
    const fleet = createHash('sha256').update(keys.map(keyHash).toSorted().join()).digest('hex');
    return new SharedSlots(this.#db, { fleet, lakeName: this.#lakeName, owner });
  }

  /**
   * Refuses a ledger that calls cannot be counted in, before anything is begun.
   * @throws LedgerError, LedgerAwayError
   */
  check(): Promise<void> {
    this.#checked ??= checkLedger(this.#db);
    return this.#checked;
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
