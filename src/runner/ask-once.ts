import type { Ask } from '../api/ask.ts';
import type { ApiClient } from '../api/client.ts';
import { type DecodedAnswer, decodeAnswer } from '../api/decode.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { syncLake } from '../lake/durability.ts';
import type { Lake } from '../lake/open.ts';
import { loadAnswer } from '../load/load-answer.ts';
import { rowsChanged } from '../load/tally.ts';
import { openThrottle } from './open-throttle.ts';

/** What one question by hand needs of the world. */
interface AskDeps {
  lake: Lake;
  config: Config;
  client: ApiClient;
  clock: Clock;
  random: () => number;
  signal: AbortSignal;
}

/**
 * Asks one thing, outside of any run: paced, counted and loaded like every other call, paid from
 * the reserve for people who ask by hand.
 * @throws QuotaSpentError, ServiceDownError or CallError as the throttle's `ask`
 */
export const askOnce = async (deps: AskDeps, job: string, ask: Ask): Promise<DecodedAnswer> => {
  const { lake, signal } = deps;
  const { throttle } = openThrottle(deps);
  const { read, settle, callId, answer, receivedAt } = await throttle.ask(
    ask,
    (answer) => decodeAnswer(ask, answer),
    { runId: null, job, signal },
  );
  const call = { runId: null, ask, callId, answer, decoded: read, receivedAt, isLastPage: true };
  loadAnswer(lake, call, (counts) => settle(rowsChanged(counts)));
  syncLake(lake);
  return read;
};
