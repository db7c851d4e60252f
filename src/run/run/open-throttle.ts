import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { Log } from '../../base/log.ts';
import { erasedBody } from '../../ingest/responses/drop-erased.ts';
import { keepUnknownShape } from '../../ingest/responses/load-response.ts';
import { storeResponse } from '../../ingest/responses/responses.ts';
import { erasedOf } from '../../lake/erased.ts';
import type { Lake } from '../../lake/open.ts';
import type { ApiClient, RawResponse } from '../../upstream/client.ts';
import { judge } from '../../upstream/judge.ts';
import { checkClock } from '../../upstream/throttle/clock-guard.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import type { KeyLimits, Ledger, LedgerSource } from '../../upstream/throttle/ledger.ts';
import { type CallCounts, Throttle } from '../../upstream/throttle/throttle.ts';

export interface ThrottleOptions {
  lake: Lake;
  limits: KeyLimits;
  /** Default: the lake. */
  ledgers?: LedgerSource;
  client: ApiClient;
  config?: Partial<Pick<Config, 'upstream'>>;
  /** True for responses that are read whatever their status. */
  isAnswer?: (response: RawResponse) => boolean;
  clock: Clock;
  random: () => number;
  /** Shared with the other keys of a run. */
  counts?: CallCounts;
  maxCalls?: number;
  /** Compares this clock with the service's. Leave it out for a virtual clock. */
  clockCheck?: { readonly isTrusted: boolean };
  /** True while another key can make the calls of this one. */
  hasHelp?: () => boolean;
  onWait?: (ms: number, why: string) => void;
  log?: Log;
}

export interface OpenThrottle {
  ledger: Ledger;
  throttle: Throttle;
}

/** Opens the throttle and the ledger of one lake and key. */
export const openThrottle = (deps: ThrottleOptions): OpenThrottle => {
  const { lake, limits, client, config, clock, random, maxCalls, onWait, log, counts } = deps;
  const { ledgers = LAKE_LEDGERS, clockCheck, isAnswer, hasHelp } = deps;
  const sender = random().toString(36).slice(2);
  const ledger = ledgers.open(lake, limits, { clock, sender });
  const throttle = new Throttle({
    ledger,
    client,
    clock,
    random,
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
    log,
    ...(counts === undefined ? {} : { counts }),
    ...(maxCalls === undefined ? {} : { maxCalls }),
    ...(hasHelp === undefined ? {} : { hasHelp }),
    ...(onWait === undefined ? {} : { onWait }),
  });
  return { ledger, throttle };
};
