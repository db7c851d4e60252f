import PQueue from 'p-queue';
import type { Clock } from '../../base/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import { type Log, SILENT } from '../../base/log.ts';
import type { ApiClient, RawResponse } from '../client.ts';
import {
  CallError,
  ClockAheadError,
  KeyBarredError,
  KeyRefusedError,
  RateLimitedError,
  UnreachableError,
} from '../errors.ts';
import { type AnyRequest, requestLine } from '../request.ts';
import { AcceptedRequest } from './accepted.ts';
import { backoffMs, Circuit, PATIENCE_MS } from './circuit.ts';
import { lostError, QuotaSpentError } from './errors.ts';
import type { CallOutcome, Ledger, PlannedCall, Refusal } from './ledger.ts';

/** A response that was read. Its call is settled with its rows. */
export interface Received<T> {
  callId: number;
  response: RawResponse;
  read: T;
  /** Unix ms at which the response was complete. */
  receivedAt: number;
  /** Of the answered attempt, up to its last byte. */
  tookMs: number;
  attempts: number;
  /** Writes the outcome of the call. Call it while loading the response. */
  settle: (rowsChanged: number, newVideos?: number) => void;
}

interface CallContext {
  runId: number | null;
  job: string;
  signal?: AbortSignal;
}

export interface ThrottleDeps {
  ledger: Ledger;
  client: ApiClient;
  clock: Clock;
  random: () => number;
  /** The error that a response stands for, if any. */
  judge: (response: RawResponse, now: number) => CallError | undefined;
  /** Stores an unreadable response and its error while settling. */
  keepUnread: (callId: number, response: RawResponse, error: unknown) => void;
  /** Shared with the throttles of other keys, as is `maxCalls`. */
  counts?: CallCounts | undefined;
  /** The run pauses after so many calls. */
  maxCalls?: number | undefined;
  /** True while another key can make the calls of this one. */
  hasHelp?: () => boolean;
  /** Hears of waits for the service and for a slot of the minute. */
  onWait?: (waitMs: number, why: string) => void;
  /** Logs failed attempts and waits. */
  log?: Log | undefined;
}

/** Stands for all jobs: none has an empty name. */
const EVERY_JOB = '';
/** Attempts at one request while the service is there; each is a call. */
const ATTEMPTS = 4;
const LEAST_LIMITED_MS = 5 * SECOND_MS;

const roundMs = (ms: number): number => Math.round(ms * 10) / 10;

/** Calls made so far, by outcome, without those that found no server. */
export interface CallCounts {
  sent: number;
  ok: number;
  failed: number;
}

/**
 * Sends every call, one admission at a time: it waits for pauses and for a slot of the minute, and the
 * ledger writes the call's row. A retry is a call like any other.
 */
export class Throttle {
  readonly counts: CallCounts;
  readonly #deps: ThrottleDeps;
  readonly #circuit = new Circuit();
  /** Refusals of the key: of one job (403), or of every job (401). */
  readonly #refusals = new Map<string, KeyRefusedError>();
  /** Calls waiting to be admitted, one at a time. */
  readonly #line = new PQueue({ concurrency: 1 });
  /** Monotonic instant until which this process sends nothing. */
  #restUntil = 0;
  #lastFailure: CallError | undefined;
  #inFlight = 0;
  #callEnded = Promise.withResolvers<void>();

  constructor(deps: ThrottleDeps) {
    this.#deps = deps;
    this.counts = deps.counts ?? { sent: 0, ok: 0, failed: 0 };
  }

  /**
   * Sends a request until a response is read. Every attempt has its row in the ledger. A request has
   * four attempts, without those that failed because the service asked to wait or is away. A response
   * that comes later (202) is asked for where the service says.
   * @throws QuotaSpentError when calls are used up; ServiceDownError when the service stays away;
   *   CallError when this request failed for good
   */
  async request<T>(
    request: AnyRequest,
    read: (response: RawResponse) => T,
    context: CallContext,
  ): Promise<Received<T>> {
    const accepted = new AcceptedRequest(request, this.#deps);
    const readUnlessAccepted = (response: RawResponse) =>
      response.status === 202 ? undefined : { value: read(response) };
    let ownFailures = 0;
    for (let attempts = 1; ; attempts++) {
      try {
        const { question } = accepted;
        const received = await this.#attempt(question, readUnlessAccepted, context, attempts);
        if (received.read !== undefined)
          return { ...received, read: received.read.value, attempts };
        this.#deps.ledger.together(() => received.settle(0));
        await accepted.wait(received.response, context.signal);
      } catch (error) {
        if (!(error instanceof CallError) || !error.transient) throw error;
        context.signal?.throwIfAborted();
        const limited = error instanceof RateLimitedError;
        if (!limited && !this.#circuit.isSingleFile) {
          ownFailures += 1;
          if (ownFailures >= ATTEMPTS) throw error;
          const waitMs = backoffMs(ownFailures, this.#deps.random());
          await this.#deps.clock.sleep(waitMs, context.signal);
        }
      }
    }
  }

  async #attempt<T>(
    request: AnyRequest,
    read: (response: RawResponse) => T,
    { runId, job, signal }: CallContext,
    attempt: number,
  ): Promise<Omit<Received<T>, 'attempts'>> {
    const { ledger, client, clock, judge, log = SILENT } = this.#deps;
    const item = requestLine(request);
    const planned = { runId, job, request: item };
    const callId = await this.#line.add(() => this.#leave(planned, signal));
    const sentMono = clock.monotonic();
    let response: RawResponse | undefined;
    let endedMono = 0;
    try {
      response = await client.send(request, signal).finally(() => {
        endedMono = clock.monotonic();
      });
      const { headers, status } = response;
      const refused = judge(response, clock.now());
      if (refused !== undefined) throw refused;
      const value = read(response);
      this.counts.ok += 1;
      this.#circuit.succeeded();
      const finishedAt = clock.now();
      const settle = (rowsChanged: number, newVideos = 0): void => {
        const ended = { finishedAt, endedMono, sent: true };
        const outcome = { status, error: null, ...ended, rowsChanged, newVideos };
        ledger.settle(callId, outcome, headers);
      };
      const tookMs = roundMs(endedMono - sentMono);
      return { callId, response, read: value, receivedAt: finishedAt, tookMs, settle };
    } catch (error) {
      if (error instanceof KeyRefusedError) {
        const isOfAll = error.status === 401 || error instanceof ClockAheadError;
        this.#refusals.set(isOfAll ? EVERY_JOB : job, error);
      }
      const status = error instanceof CallError ? error.status : (response?.status ?? null);
      await this.#fail(callId, response, error, { status, endedMono });
      const outcome = error instanceof CallError ? 'failed' : 'given up';
      const { name } = error instanceof Error ? error : { name: typeof error };
      const failed = { runId, job, item, callId, attempt, outcome, error: name, status };
      log.warn({ ...failed, ms: roundMs(endedMono - sentMono) }, messageOf(error));
      throw error;
    } finally {
      this.#inFlight -= 1;
      this.#callEnded.resolve();
      this.#callEnded = Promise.withResolvers<void>();
    }
  }

  /** Settles a failed call and decides how long all calls wait. */
  async #fail(
    callId: number,
    response: RawResponse | undefined,
    error: unknown,
    known: Pick<CallOutcome, 'status' | 'endedMono'>,
  ): Promise<void> {
    const { ledger, clock, keepUnread } = this.#deps;
    const sent = !(error instanceof UnreachableError);
    const ended = { ...known, finishedAt: clock.now(), sent };
    const outcome = { ...ended, error: messageOf(error), rowsChanged: null };
    ledger.together(() => {
      ledger.settle(callId, outcome, response?.headers);
      if (response?.status === 200) keepUnread(callId, response, error);
    });
    if (sent) this.counts.failed += 1;
    else this.counts.sent -= 1;
    if (!(error instanceof CallError)) return;
    if (error.transient) await this.#rest(error, clock.monotonic());
    else this.#circuit.succeeded(); // a refusal is a response: the service is there
  }

  async #rest(error: CallError, mono: number): Promise<void> {
    const limited = error instanceof RateLimitedError;
    if (error.status === 200 && this.#circuit.hasAnswered) return; // one bad page, not the service
    this.#lastFailure = error;
    this.#circuit.failed(mono, limited);
    const ownMs = backoffMs(this.#circuit.failuresInARow, this.#deps.random());
    if (limited) {
      const statedMs = error.retryAfterMs ?? Math.max(LEAST_LIMITED_MS, ownMs);
      await this.#deps.ledger.pause(statedMs, error.message);
    } else this.#restUntil = Math.max(this.#restUntil, mono + this.#circuit.restMs(ownMs));
  }

  /** @throws once further calls would only be wasted, or another key can continue */
  #refuseWhenLost(): void {
    const { clock, hasHelp } = this.#deps;
    const isLimited = this.#lastFailure instanceof RateLimitedError;
    const isReplaced = isLimited && this.#circuit.isOpen && hasHelp?.() === true;
    if (!isReplaced && !this.#circuit.isLost(clock.monotonic())) return;
    throw lostError(this.#lastFailure, this.#circuit.failuresInARow, clock.now());
  }

  /** Waits until the ledger has let the call leave. */
  async #leave(call: PlannedCall, signal?: AbortSignal): Promise<number> {
    const { ledger, clock, maxCalls } = this.#deps;
    for (;;) {
      signal?.throwIfAborted();
      if (maxCalls !== undefined && this.counts.sent >= maxCalls)
        throw new QuotaSpentError(`The ${maxCalls} calls allowed by --max-calls are spent.`, null);
      this.#refuseWhenLost();
      const refusal = this.#refusals.get(EVERY_JOB) ?? this.#refusals.get(call.job);
      // a call by hand is let through: the key may have been mended since
      if (call.runId !== null && refusal !== undefined) throw new KeyBarredError(refusal);
      const restMs = this.#restUntil - clock.monotonic();
      if (restMs > 0) await this.#sleep(restMs, this.#lastFailure?.message ?? '', signal);
      else if (this.#circuit.isSingleFile && this.#inFlight > 0) await this.#callEnded.promise;
      else {
        this.counts.sent += 1; // before it is admitted: calls of other keys are counted meanwhile
        const admission = await ledger.admit(call);
        if ('callId' in admission) {
          this.#inFlight += 1;
          return admission.callId;
        }
        this.counts.sent -= 1;
        await this.#wait(admission, signal);
      }
    }
  }

  /** Waits as long as the ledger says. @throws QuotaSpentError when that is too long to wait */
  async #wait(refusal: Refusal, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const now = clock.now();
    if ('untilEndedMs' in refusal) {
      if (this.#inFlight > 0) return this.#callEnded.promise;
      this.#deps.onWait?.(refusal.untilEndedMs, 'calls in flight may be the last of the key');
      return clock.sleep(refusal.untilEndedMs, signal);
    }
    if ('waitMs' in refusal) {
      this.#deps.onWait?.(refusal.waitMs, "the key's calls of this minute are spent");
      return clock.sleep(refusal.waitMs, signal);
    }
    const [waitMs, until, why] =
      'pause' in refusal
        ? [refusal.pause.forMs, refusal.pause.resumesAt, refusal.pause.reason]
        : [refusal.spentUntil - now, refusal.spentUntil, refusal.why];
    const patienceMs = this.#deps.hasHelp?.() === true ? MINUTE_MS : PATIENCE_MS;
    if (waitMs > patienceMs || until - now > patienceMs) throw new QuotaSpentError(why, until);
    await this.#sleep(Math.max(1, waitMs), why, signal);
  }

  async #sleep(waitMs: number, why: string, signal?: AbortSignal): Promise<void> {
    const { onWait, log = SILENT } = this.#deps;
    onWait?.(waitMs, why);
    log.warn({ waitMs: Math.ceil(waitMs) }, why);
    await this.#deps.clock.sleep(waitMs, signal);
  }
}
