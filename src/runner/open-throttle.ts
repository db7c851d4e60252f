import type { ApiClient } from '../api/client.ts';
import { judge } from '../api/judge.ts';
import type { Clock } from '../clock.ts';
import type { Lake } from '../lake/open.ts';
import { keepUnknownShape } from '../load/load-response.ts';
import { storeResponse } from '../load/responses.ts';
import type { Log } from '../log.ts';
import { LAKE_LEDGERS } from '../throttle/lake-ledger.ts';
import type { KeyLimits, Ledger, LedgerSource } from '../throttle/ledger.ts';
import { Throttle } from '../throttle/throttle.ts';

interface ThrottleOptions {
  lake: Lake;
  config: KeyLimits;
  /** Where calls are counted; in the lake unless given. */
  ledgers?: LedgerSource;
  client: ApiClient;
  clock: Clock;
  random: () => number;
  maxCalls?: number;
  onWait?: (ms: number, why: string) => void;
  log?: Log;
}

/** The throttle through which calls leave for one lake and key, and the ledger that writes them down. */
export const openThrottle = (deps: ThrottleOptions): { ledger: Ledger; throttle: Throttle } => {
  const { lake, config, client, clock, random, maxCalls, onWait, log } = deps;
  const { ledgers = LAKE_LEDGERS } = deps;
  const sender = random().toString(36).slice(2);
  const ledger = ledgers.open(lake, config, { clock, sender });
  const throttle = new Throttle({
    ledger,
    client,
    clock,
    random,
    judge,
    keepUnread: (callId, response, error) => {
      storeResponse(lake, callId, response, clock.now());
      keepUnknownShape(lake, callId, error, clock.now());
    },
    log,
    ...(maxCalls === undefined ? {} : { maxCalls }),
    ...(onWait === undefined ? {} : { onWait }),
  });
  return { ledger, throttle };
};
