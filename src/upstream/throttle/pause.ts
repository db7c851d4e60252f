import type { Clock } from '../../base/clock.ts';
import { HOUR_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { type CountedKey, keyName } from './counted-key.ts';

/** A pause the service asked for. */
export interface Pause {
  /** Remaining time of the pause. */
  forMs: number;
  /** Unix ms: until when the service asked to wait. */
  resumesAt: number;
  reason: string;
}

/**
 * A longer pause is tried again every hour with one call: the key, the plan or the service may have
 * changed since.
 */
export const LONGEST_PAUSE_MS = HOUR_MS;

const pauseReader = ({ sqlite }: Pick<Lake, 'sqlite'>) =>
  prepare(
    sqlite,
    'select set_at as setAt, until_at as untilAt, boot, until_mono as untilMono, resumes_at as resumesAt, reason from pause where key = ?',
    {
      setAt: 'number',
      untilAt: 'number',
      boot: 'text',
      untilMono: 'number',
      resumesAt: 'number',
      reason: 'text',
    },
  );

/** The pause that holds at an instant (Unix ms) by the wall clock: to be shown; null: none. */
export const pauseAt = (
  lake: Pick<Lake, 'sqlite'>,
  now: number,
  key: CountedKey | undefined,
): { untilAt: number; reason: string } | null => {
  const row = pauseReader(lake).get(keyName(key));
  if (row === undefined || Math.min(row.untilAt - now, row.untilAt - row.setAt) <= 0) return null;
  return { untilAt: row.resumesAt, reason: row.reason };
};

/**
 * The pause that all processes of a data directory keep with a key. Like the slots it is timed by the machine's
 * monotonic clock; one of another boot by the wall clock, but never longer than it was asked for.
 */
export class SharedPause {
  readonly #clock: Clock;
  readonly #key: string;
  readonly #boot: string;
  readonly #read;
  readonly #write;

  constructor(lake: Lake, clock: Clock, key?: CountedKey) {
    this.#clock = clock;
    this.#key = keyName(key);
    this.#boot = clock.boot ?? '';
    this.#read = pauseReader(lake);
    this.#write = lake.sqlite.prepare(`
      insert into pause (key, set_at, until_at, boot, until_mono, resumes_at, reason)
        values (@key, @setAt, @untilAt, @boot, @untilMono, @resumesAt, @reason)
      on conflict (key) do update set set_at = excluded.set_at, until_at = excluded.until_at,
        boot = excluded.boot, until_mono = excluded.until_mono, resumes_at = excluded.resumes_at,
        reason = excluded.reason`);
  }

  /** Pauses the key for `askedMs`, unless a pause of this boot lasts longer. */
  set(statedMs: number, reason: string): void {
    const forMs = Math.min(statedMs, LONGEST_PAUSE_MS);
    const row = this.#read.get(this.#key);
    if (row?.boot === this.#boot && (this.current()?.forMs ?? 0) >= forMs) return;
    const now = this.#clock.now();
    this.#write.run({
      key: this.#key,
      setAt: now,
      untilAt: Math.ceil(now + forMs),
      boot: this.#boot,
      untilMono: Math.ceil(this.#clock.monotonic() + forMs),
      resumesAt: Math.ceil(now + statedMs),
      reason,
    });
  }

  /** The pause that holds now, or undefined. */
  current(): Pause | undefined {
    const row = this.#read.get(this.#key);
    if (row === undefined) return undefined;
    const left =
      row.boot !== '' && row.boot === this.#boot
        ? row.untilMono - this.#clock.monotonic()
        : Math.min(row.untilAt - this.#clock.now(), row.untilAt - row.setAt);
    const { resumesAt, reason } = row;
    return left > 0 ? { forMs: left, resumesAt, reason } : undefined;
  }
}
