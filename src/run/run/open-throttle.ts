import type { Config } from '../../base/config/config.ts';
import { erasedBody } from '../../ingest/responses/drop-erased.ts';
import { keepUnknownShape } from '../../ingest/responses/load-response.ts';
import { storeResponse } from '../../ingest/responses/responses.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import type { RawResponse } from '../../upstream/client.ts';
import { judge } from '../../upstream/judge.ts';
import { checkClock } from '../../upstream/throttle/clock-guard.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import type { KeyLimits, Ledger, LedgerSource } from '../../upstream/throttle/ledger.ts';
import { Throttle, type ThrottleDeps } from '../../upstream/throttle/throttle.ts';

export interface ThrottleOptions extends Omit<ThrottleDeps, 'ledger' | 'judge' | 'keepUnread'> {
  lake: Lake;
  limits: KeyLimits;
  /** Default: the lake. */
  ledgers?: LedgerSource;
  config?: Partial<Pick<Config, 'upstream'>>;
  /** True for responses that are read whatever their status. */
  isAnswer?: (response: RawResponse) => boolean;
  /** Compares this clock with the service's. Leave it out for a virtual clock. */
  clockCheck?: { readonly isTrusted: boolean };
}

export interface OpenThrottle {
  readonly ledger: Ledger;
  readonly throttle: Throttle;
}

/** Opens the throttle and the ledger of one lake and key. */
export const openThrottle = ({
  lake,
  limits,
  ledgers = LAKE_LEDGERS,
  config,
  isAnswer,
  clockCheck,
  ...deps
}: ThrottleOptions): OpenThrottle => {
  const { clock, random } = deps;
  const sender = random().toString(36).slice(2);
  const ledger = ledgers.open(lake, limits, { clock, sender });
  const throttle = new Throttle({
    ...deps,
    ledger,
    judge: (response, now) =>
      (clockCheck && checkClock(lake, response, { now, ...clockCheck })) ??
      (isAnswer?.(response) === true
        ? undefined
        : judge(response, now, limits.keyEnv, config?.upstream)),
    keepUnread: (callId, response, error) => {
      const words = { subjects: erasedOf(lake), upstream: config?.upstream ?? {} };
      const body = erasedBody(response.body, words);
      storeResponse(lake, callId, { ...response, body }, clock.now());
      keepUnknownShape(lake, callId, error, clock.now());
    },
  });
  return { ledger, throttle };
};
