import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { openServiceDb } from '../../lake/keys/service-db.ts';
import { prepare } from '../../lake/prepare.ts';
import { newSecret } from './signature.ts';

/** Time for which the previous secret also signs. */
const ROTATION_MS = DAY_MS;

/** The secrets of one subscription; instants in Unix ms. */
export interface SecretRow {
  readonly id: string; // of the subscription
  readonly secret: string;
  readonly previous: string | null;
  readonly until: number | null; // when the previous one expires
}

/**
 * The secrets that sign deliveries. They are in `service.db`, in clear because signing needs them, and
 * not in the lake, its backups or exports. The only writer of `webhook_secret`. Deleted secrets are
 * overwritten.
 */
export class WebhookSecrets {
  readonly #db: Database.Database;

  constructor(dataDir: string) {
    this.#db = openServiceDb(dataDir);
  }

  /** The secrets that sign at an instant, the current one first. Empty if they are unknown. */
  signing(subscriptionId: string, now: number): string[] {
    const row = prepare(
      this.#db,
      `select subscription_id as id, secret, previous, previous_until as until
         from webhook_secret where subscription_id = ?`,
      { id: 'text', secret: 'text', previous: 'text?', until: 'number?' },
    ).get(subscriptionId);
    if (row === undefined) return [];
    const isReplacedSecretValid = row.previous !== null && (row.until ?? 0) > now;
    return isReplacedSecretValid ? [row.secret, row.previous as string] : [row.secret];
  }

  add(subscriptionId: string, secret: string): void {
    this.#db
      .prepare('insert into webhook_secret (subscription_id, secret) values (?, ?)')
      .run(subscriptionId, secret);
  }

  /**
   * Gives a subscription a new secret. For a day both sign, so that the receiver has time to change its
   * copy. A second rotation within the day ends the oldest secret.
   */
  rotate(subscriptionId: string, now: number): string {
    const secret = newSecret();
    this.#db
      .prepare(
        `insert into webhook_secret (subscription_id, secret) values (?, ?)
         on conflict do update set previous = secret, previous_until = ?, secret = excluded.secret`,
      )
      .run(subscriptionId, secret, now + ROTATION_MS);
    return secret;
  }

  remove(subscriptionId: string): void {
    this.#db.prepare('delete from webhook_secret where subscription_id = ?').run(subscriptionId);
  }

  /** True if the key that made a subscription was revoked. */
  isRevoked(keyId: string): boolean {
    const revoked = this.#db
      .prepare('select 1 from api_key where id = ? and revoked_at is not null')
      .get(keyId);
    return revoked !== undefined;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  /** Stores secrets that an older trendlake kept in the lake. Secrets that are here already stay. */
  take(rows: readonly SecretRow[]): void {
    const take = this.#db.prepare(
      `insert into webhook_secret (subscription_id, secret, previous, previous_until)
       values (@id, @secret, @previous, @until) on conflict do nothing`,
    );
    this.#db.transaction(() => rows.map((row) => take.run(row))).immediate();
  }
}
