import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { endSubscriptionsOf } from './subscriptions.ts';

/** Ids of the keys that were revoked on any machine; it may fail for now by giving none. */
export type RevokedKeys = () => Promise<readonly string[]>;

const EVERY_MS = 10 * SECOND_MS;

/**
 * Ends the subscriptions of keys that were revoked on another machine, before more is sent to them. Who
 * has keys is asked every ten seconds at most, and only where a key has subscriptions here.
 */
export class RevocationWatch {
  readonly #lake: Lake;
  readonly #clock: Clock;
  readonly #revoked: RevokedKeys;
  readonly #keys;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(lake: Lake, clock: Clock, revoked: RevokedKeys) {
    this.#lake = lake;
    this.#clock = clock;
    this.#revoked = revoked;
    this.#keys = prepare(
      lake.sqlite,
      'select distinct key_id from subscriptions where key_id is not null and disabled_at is null',
      'text',
    );
  }

  async endRevoked(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now < this.#nextAt) return;
    const here = this.#keys.all();
    if (here.length === 0) return;
    this.#nextAt = now + EVERY_MS;
    const revoked = new Set(await this.#revoked());
    for (const id of here)
      if (revoked.has(id)) endSubscriptionsOf(this.#lake, id, this.#clock.now());
  }
}
