import type { Clock } from '../../base/clock.ts';
import type { Secret } from '../../base/secret.ts';
import type { Lake } from '../../lake/open.ts';
import type { CountedKey } from './counted-key.ts';
import type { MonthState } from './month.ts';
import type { Pause } from './pause.ts';

/** Limits of a tier, and the timeout of a call. */
export interface Limits {
  ratePerMinute: number;
  callsPerMonth: number;
  quotaReset: string;
  timeoutMs: number;
  /** One of several keys; undefined for the only one, for which every call of the lake counts. */
  key?: CountedKey | undefined;
}

/** Limits of a key. */
export interface KeyLimits extends Limits {
  apiKey?: Secret | undefined;
  /** The variable that holds it, where there are several keys. */
  keyEnv?: string;
}

/** A call that is about to be made. */
export interface PlannedCall {
  runId: number | null;
  job: string;
  request: string;
}

/** Outcome of a call. `status` is null without a response. */
export interface CallOutcome {
  status: number | null;
  error: string | null;
  /** Unix ms at which its response was complete or abandoned; `endedMono` by the monotonic clock. */
  finishedAt: number;
  endedMono: number;
  /** False: no server was reached, so nothing was sent. */
  sent: boolean;
  /** Rows that loading its response inserted or updated; null where nothing was loaded. */
  rowsChanged: number | null;
  /** Videos that it brought into the lake. */
  newVideos?: number;
}

/**
 * Why a call may not leave yet: no slot is free, the service asked to wait, calls are spent, or those in
 * flight may be the last ones (`untilEndedMs`: how soon to ask again where another process made them).
 */
export type Refusal =
  | { waitMs: number }
  | { pause: Pause }
  | { untilEndedMs: number }
  | { spentUntil: number; why: string };

/** Permission for a call, with its row in the lake, or a refusal. */
export type Admission = { callId: number } | Refusal;

/** Calls spent in a month, and how many of them people made by hand. */
export interface MonthSpent {
  month: MonthState;
  byHand: number;
  /** Unix ms. */
  at: number;
  /** Current state, if the ledger's tables can be read for it. */
  moment?: KeyMoment;
}

/** Use of a key right now. */
export interface KeyMoment {
  /** Calls that left within the last 60 s. */
  inMinute: number;
  /** The pause that the service asked for, if one holds. */
  pause: { untilAt: number; reason: string } | null;
  /** Machines that share the key, with the limits each states; the smallest hold. */
  members?: readonly KeyMember[];
}

/** A machine of a shared ledger, by the name of its lake. */
export interface KeyMember {
  readonly lake: string;
  readonly ratePerMinute: number;
  readonly callsPerMonth: number;
}

/** Sentence that names machines with different limits for one key; undefined if all agree. */
export const differingLimits = (members: readonly KeyMember[]): string | undefined => {
  const [first] = members;
  const agrees = (member: KeyMember): boolean =>
    member.ratePerMinute === first?.ratePerMinute && member.callsPerMonth === first.callsPerMonth;
  if (members.every(agrees)) return undefined;
  const named = members.map(
    ({ lake, ratePerMinute, callsPerMonth }) =>
      `${lake} ${ratePerMinute} a minute and ${callsPerMonth} a month`,
  );
  return `Machines state different limits for this key: ${named.join(', ')}. The smallest hold. Set the same TRENDLAKE_TIER on all of them.`;
};

/**
 * Counts calls before they leave. One ledger is in the lake, for the processes of one data
 * directory; one in PostgreSQL, for many machines, which takes time to answer.
 */
export interface Ledger {
  /**
   * Lets a call leave if pause, month and pace allow: it is counted for good before this returns. Two
   * processes never take the same slot.
   */
  admit(call: PlannedCall): Admission | Promise<Admission>;
  /**
   * Writes how a call ended and from when its slot is free: at once where nothing was sent. A call
   * whose response is loaded is settled by calling this inside the transaction that loads it. Safe to
   * do again.
   * @param headers of its response; what they state of the quota is kept
   */
  settle(callId: number, outcome: CallOutcome, headers?: Readonly<Record<string, string>>): void;
  /** Pauses the key for `ms` in every process that shares the ledger. */
  pause(ms: number, reason: string): void | Promise<void>;
  /** Runs `work` in one transaction of the lake. */
  together(work: () => void): void;
  /** The calls left in the month: by the ledger, or fewer where the service states fewer. */
  spent(): MonthSpent | Promise<MonthSpent>;
  /** Resolves once everything settled is written where it is counted. */
  drain?(): Promise<void>;
}

/** Source of the ledgers of keys: the lake, or PostgreSQL. */
export interface LedgerSource {
  /** The ledger that a key's calls are counted in. `sender` names this process. */
  open(lake: Lake, limits: KeyLimits, by: { clock: Clock; sender: string }): Ledger;
  /** Calls spent in a key's month at `now` (Unix ms). Only reads. Nothing is spent without a lake. */
  spent(
    lake: Pick<Lake, 'sqlite'> | undefined,
    limits: Omit<KeyLimits, 'timeoutMs'>,
    now: number,
  ): MonthSpent | Promise<MonthSpent>;
}
