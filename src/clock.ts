import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The only source of time. Everything that waits or stamps is handed one.
 */
export interface Clock {
  /** Wall time, Unix milliseconds. May be stepped by an operator. */
  now(): number;
  /** Milliseconds that only ever grow, for measuring spans. */
  monotonic(): number;
  /**
   * Names the span of time, such as this boot of the machine, in which `monotonic()` of all processes
   * may be compared. Undefined where the machine does not tell.
   */
  readonly boot?: string | undefined;
  /** Resolves after `ms`, or rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** This boot and this time namespace (a container may have its own), where the machine tells. */
const thisBoot = (): string | undefined => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/time')}`;
  } catch {
    return undefined;
  }
};

/** The machine's clock. Its monotonic time is the machine's too: one for all processes of a boot. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  boot: thisBoot(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  },
};

/** A clock that moves only when told to, or by whoever sleeps on it. */
export interface VirtualClock extends Clock {
  /** Moves to `at`; never back. */
  advanceTo(at: number): void;
}

/**
 * A clock that starts at `startAt` (Unix milliseconds) and jumps instead of waiting: sleeping moves it.
 * With it a fortnight of paced calls takes seconds and keeps its pace in its own time.
 */
export const virtualClock = (startAt: number): VirtualClock => {
  let at = startAt;
  return {
    now: () => at,
    monotonic: () => at, // so that the spans of two virtual clocks can be compared
    advanceTo: (target) => {
      at = Math.max(at, target);
    },
    sleep: async (ms, signal) => {
      const wakeAt = at + Math.max(0, ms);
      await delay(0); // lets answers in flight arrive before time moves
      signal?.throwIfAborted();
      at = Math.max(at, wakeAt);
    },
  };
};

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Unix milliseconds as ISO 8601 UTC. */
export const isoOf = (at: number): string => new Date(at).toISOString();

/** The UTC day of an instant, `YYYY-MM-DD`. */
export const dateOf = (at: number): string => isoOf(at).slice(0, 10);

/**
 * Unix milliseconds of an ISO 8601 date or date-time (UTC unless it names an offset), or undefined
 * when it is not one or names an impossible day.
 */
export const parseIso = (value: string): number | undefined => {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/.exec(
      value.trim(),
    );
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const at = Date.UTC(y, mo - 1, d, h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)));
  const back = new Date(at);
  const exact =
    back.getUTCFullYear() === y && // two-digit years would be taken for 19xx
    back.getUTCMonth() === mo - 1 &&
    back.getUTCDate() === d &&
    h < 24 &&
    mi < 60 &&
    s < 60;
  if (!exact) return undefined;
  if (zone.toUpperCase() === 'Z') return at;
  const minutesPast = Number(zone.slice(3).replace(':', '') || '0');
  const zoneMinutes = Number(zone.slice(1, 3)) * 60 + minutesPast;
  if (zoneMinutes > 14 * 60 || minutesPast > 59) return undefined;
  return at - (zone.startsWith('-') ? -1 : 1) * zoneMinutes * MINUTE_MS;
};
