import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import type { RawResponse } from '../client.ts';
import { RequestRefusedError } from '../errors.ts';
import { askedWaitMs } from '../judge.ts';
import type { AnyRequest } from '../request.ts';
import { backoffMs, PATIENCE_MS } from './circuit.ts';

/** Calls for the result of one request. */
const MOST_QUESTIONS = 20;

const refused = (problem: string): RequestRefusedError =>
  new RequestRefusedError(`The service accepted the request (202) ${problem}.`, 202);

/** A request that the service may accept (202) and answer later. */
export class AcceptedRequest {
  /** The request to send next. */
  question: AnyRequest;
  readonly #deps: { readonly clock: Clock; readonly random: () => number };
  #questions = 0;
  #waitedMs = 0;

  constructor(request: AnyRequest, deps: { clock: Clock; random: () => number }) {
    this.question = request;
    this.#deps = deps;
  }

  /**
   * Waits as long as the service asks, and turns to where the result will be.
   * @throws RequestRefusedError when the result takes too long, or has no address
   */
  async wait({ headers }: RawResponse, signal?: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    const location = headers.location ?? this.question.location;
    if (location !== undefined) this.question = { ...this.question, location };
    else if (this.question.kind === 'analyze')
      throw refused('and does not say where its result is');
    this.#questions += 1;
    const usualMs = Math.max(SECOND_MS, backoffMs(this.#questions, random()));
    const waitMs = askedWaitMs(headers, clock.now()) ?? usualMs;
    this.#waitedMs += waitMs;
    if (this.#questions > MOST_QUESTIONS || this.#waitedMs > PATIENCE_MS)
      throw refused(`and has no result after ${this.#questions} calls`);
    await clock.sleep(waitMs, signal);
  }
}
