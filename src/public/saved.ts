import type { Platform, WatchKind } from '../../schema/vocabulary.ts';
import type { Alert, AlertHit } from '../alerts/rules/alert-store.ts';
import { withIso } from '../base/iso.ts';
import type { Watch } from '../lake/watches/watches.ts';

/** A watch of `watch add`; instants are ISO 8601. */
export interface WatchRecord {
  readonly id: string;
  readonly kind: WatchKind;
  /** Null: all platforms. */
  readonly platform: Platform | null;
  readonly subject: string;
  readonly everyMs: number;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly until: string | null;
  readonly pausedAt: string | null;
  readonly pausedReason: string | null;
  /** Newest observation. */
  readonly lastAt: string | null;
  readonly nextAt: string;
}

/** @internal */
export const watchRecord = ({ createdAt: _, ...watch }: Watch): WatchRecord =>
  withIso(watch, 'until', 'pausedAt', 'lastAt', 'nextAt');

/** An alert of `alerts add`, without its targets, which may hold passwords. */
export interface AlertRecord {
  readonly name: string;
  readonly sql: string;
  readonly cooldownMs: number;
  /** Newest evaluation that succeeded, ISO 8601. */
  readonly evaluatedAt: string | null;
  /** Why the newest evaluation failed; null: it succeeded. */
  readonly failure: string | null;
}

/** @internal */
export const alertRecord = ({ targets: _, createdAt: __, ...alert }: Alert): AlertRecord =>
  withIso(alert, 'evaluatedAt');

/** A row of an alert that fired at an instant, ISO 8601. */
export interface FiredRow {
  readonly name: string;
  readonly subject: string;
  readonly at: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** @internal */
export const firedRow = (hit: AlertHit): FiredRow => withIso(hit, 'at');
