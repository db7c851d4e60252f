import { SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { type Log, SILENT } from '../../base/log.ts';
import { adoptWords } from '../../ingest/responses/adopt-words.ts';
import { loadResponse } from '../../ingest/responses/load-response.ts';
import { addRows, noRows, rowsChanged } from '../../ingest/writers/tally.ts';
import { refreshSearch } from '../../lake/search/search-index.ts';
import { decodeResponse } from '../../upstream/decode/decode.ts';
import {
  CallError,
  KeyBarredError,
  KeyRefusedError,
  ProxyRefusedError,
} from '../../upstream/errors.ts';
import { requestLine } from '../../upstream/request.ts';
import { PausedError, ServiceDownError } from '../../upstream/throttle/errors.ts';
import { nextPage } from '../plan/first-page.ts';
import type { Job, Refreshes } from '../plan/job.ts';
import { quotaOf, refreshBudgets, watchCallsOf } from '../plan/key-quotas.ts';
import { sumOf } from '../plan/month-forecast.ts';
import { chooseRefreshes } from '../plan/refresh-planner.ts';
import { endWatchesOf } from '../plan/watch-planner.ts';
import { isOfKey, type KeyLane, Lanes } from './lanes.ts';
import { type RunDeps, runKeys } from './run-deps.ts';
import { type OpenItem, RunLog } from './run-log.ts';
import { logEnd, logLoaded } from './run-report.ts';
import type { RunSummary } from './run-summary.ts';

/** Statuses of a video or creator that the service does not have, or no more. */
const GONE = [404, 410, 451];
const HEARTBEAT_MS = 10 * SECOND_MS;
/** New videos per update of the search index. Until then, a search reads them one by one. */
const WORDS_TOGETHER = 5000;

export class Run {
  readonly #deps: RunDeps;
  readonly #log: RunLog;
  readonly #logger: Log;
  /** Logged fields that drifted. Each is logged once per run, although it comes with every page. */
  readonly #drifted = new Set<string>();
  readonly #lanes: Lanes;
  readonly #rows = noRows();
  readonly #startedAt: number;
  readonly #runId: number;
  #refreshes: Refreshes | undefined;
  /** Reason for stopping early. */
  #stop: Error | undefined;
  #heartbeatAt: number;
  #ended = 0;
  /** Loaded videos that are not in the search index yet. */
  #waiting = 0;

  /** Starts a run, or resumes an unfinished one. */
  constructor(deps: RunDeps, resumed?: { id: number }) {
    const { lake, config, clock } = deps;
    this.#deps = deps;
    this.#log = new RunLog(lake);
    this.#lanes = new Lanes(runKeys(deps), deps, config.concurrency);
    this.#startedAt = clock.now();
    this.#heartbeatAt = this.#startedAt;
    const jobs = deps.jobs.map((job) => job.name);
    if (resumed === undefined) this.#runId = this.#log.begin(jobs, this.#startedAt);
    else {
      this.#runId = resumed.id;
      this.#log.resume(resumed.id, this.#startedAt);
    }
    this.#logger = deps.log ?? SILENT;
    const verb = resumed === undefined ? 'began' : 'resumed';
    this.#logger.info({ runId: this.#runId, jobs }, `run ${this.#runId} ${verb}`);
  }

  /**
   * Runs until the end, a pause or a failure.
   * @throws errors that neither the service nor the quota caused, such as a full disk
   */
  async execute(): Promise<RunSummary> {
    adoptWords(this.#deps.lake, this.#deps.config.upstream);
    this.#indexWords(); // what waits since a run that was killed, or a migration
    for (const stage of ['lists', 'watches', 'refreshes'] as const) {
      const jobs = this.#deps.jobs.filter((job) => job.stage === stage);
      try {
        for (const job of jobs) await this.#plan(job);
      } catch (error) {
        if (!(error instanceof PausedError)) throw error;
        this.#stop = error;
        break;
      }
      await this.#work(jobs.map((job) => job.name));
      if (this.#stop !== undefined) break;
    }
    if (this.#stop !== undefined && !this.#isExpected(this.#stop)) throw this.#stop;
    this.#indexWords();
    return await this.#finish();
  }

  async #plan(job: Job): Promise<void> {
    const { lake, config, clock } = this.#deps;
    if (this.#log.isPlanned(this.#runId, job.name)) return;
    const refreshes =
      job.stage === 'refreshes' ? await this.#chosenRefreshes() : { growth: [], creators: [] };
    const watchCalls =
      job.stage === 'watches' ? await watchCallsOf(this.#lanes.all, this.#deps) : 0;
    const runId = this.#runId;
    const items = job.plan({ lake, config, clock, runId, refreshes, watchCalls });
    this.#log.plan(runId, job.name, items);
    this.#logger.debug({ runId, job: job.name, items: items.length }, `${job.name} planned`);
  }

  /** Refreshes of the run. Lists are planned before the budget is divided. */
  async #chosenRefreshes(): Promise<Refreshes> {
    const { lake, clock } = this.#deps;
    const context = { lake, clock, runId: this.#runId };
    this.#refreshes ??= chooseRefreshes(context, await refreshBudgets(this.#lanes.all, this.#deps));
    return this.#refreshes;
  }

  async #work(jobs: readonly string[]): Promise<void> {
    for (const item of this.#log.open(this.#runId, jobs)) this.#enqueue(item);
    await this.#lanes.idle();
    if (this.#stop !== undefined) return;
    for (const item of this.#log.open(this.#runId, jobs)) {
      const why = this.#lanes.whyNot(item);
      if (why === undefined) continue;
      this.#log.giveUp(this.#runId, item, { state: 'failed', error: why, attempts: 0 });
    }
  }

  /** Queues a request. It stays open if all its keys have stopped. */
  #enqueue(item: OpenItem): void {
    const lane = this.#lanes.deal(item);
    void lane?.queue.add(async () => {
      if (this.#stop !== undefined) return;
      if (this.#lanes.passesOn(item, lane)) return this.#enqueue(item);
      try {
        await this.#process(item, lane);
      } catch (error) {
        this.#noteError(item, lane, error);
      }
      this.#noteProgress(item);
    });
  }

  async #process(item: OpenItem, lane: KeyLane): Promise<void> {
    const { lake, config, signal } = this.#deps;
    const { job, line, request } = item;
    signal.throwIfAborted();
    const forbidden = lane.forbidden.get(job);
    if (forbidden !== undefined) {
      this.#log.giveUp(this.#runId, item, { state: 'skipped', error: forbidden, attempts: 0 });
      return;
    }
    const runId = this.#runId;
    const { read, settle, tookMs, attempts, ...answered } = await lane.throttle.request(
      request,
      (response) => decodeResponse(request, response, config.upstream),
      { runId, job, signal },
    );
    const next =
      'page' in request && 'length' in read ? nextPage(request, read, config.listItems) : undefined;
    const { upstream } = config;
    const isLastPage = next === undefined;
    const call = { runId, request, decoded: read, ...answered, isLastPage, upstream };
    const counts = loadResponse(
      lake,
      call,
      (loaded) => {
        settle(rowsChanged(loaded), loaded.videos.inserted);
        this.#log.done(runId, item, attempts);
        if (next !== undefined) this.#log.plan(runId, job, [{ request: next }]);
      },
      'later',
    );
    addRows(this.#rows, counts);
    this.#waiting += counts.videos.inserted;
    if (this.#waiting >= WORDS_TOGETHER) this.#indexWords();
    const { callId, response } = answered;
    const loaded = { callId, attempt: attempts, status: response.status, ms: tookMs };
    const rows = rowsChanged(counts);
    logLoaded(this.#logger, { runId, job, item: line, ...loaded, rows }, read, this.#drifted);
    if (next !== undefined) this.#enqueue({ job, line: requestLine(next), request: next });
  }

  /** Indexes new titles in batches, at a third of the cost of page by page. */
  #indexWords(): void {
    refreshSearch(this.#deps.lake);
    this.#waiting = 0;
  }

  /** Decides whether a failure affects one request, its key or the run. */
  #noteError(item: OpenItem, lane: KeyLane, error: unknown): void {
    const { lake, clock, signal } = this.#deps;
    const stops =
      !(error instanceof CallError) ||
      (error instanceof KeyRefusedError && error.status === 401) ||
      error instanceof ProxyRefusedError ||
      signal.aborted;
    if (stops) {
      const stop = error instanceof Error ? error : new Error(String(error));
      const ofKey = isOfKey(stop) && !signal.aborted;
      if (ofKey && lane.stop === undefined) {
        lane.stop = stop;
        const { key } = lane.key;
        const fields = { runId: this.#runId, key: key?.name, error: stop.name };
        if (key !== undefined) this.#logger.warn(fields, stop.message);
      }
      this.#stop ??= ofKey ? this.#lanes.stop : stop;
      if (this.#stop === undefined) this.#enqueue(item);
      else this.#lanes.clear();
      return;
    }
    if (error instanceof KeyRefusedError) {
      lane.forbidden.set(item.job, error.message);
      if (this.#lanes.passesOn(item, lane)) {
        this.#enqueue(item);
        return;
      }
    }
    const isBarred = error instanceof KeyBarredError;
    const isGone = GONE.includes(error.status ?? 0) && !('page' in item.request);
    const isFailed = !isGone && !isBarred;
    const state = isFailed ? 'failed' : 'skipped';
    const attempts = isBarred ? 0 : 1;
    this.#log.giveUp(this.#runId, item, { state, error: error.message, attempts });
    const fields = { runId: this.#runId, job: item.job, item: item.line, outcome: state };
    this.#logger[isFailed ? 'error' : 'info']({ ...fields, status: error.status }, error.message);
    if (isGone) endWatchesOf(lake, item.request, { at: clock.now(), reason: error.message });
  }

  #isExpected(error: Error): boolean {
    return (
      error instanceof PausedError ||
      error instanceof ServiceDownError ||
      error instanceof KeyRefusedError ||
      this.#deps.signal.aborted
    );
  }

  #noteProgress({ job, line }: OpenItem): void {
    const { clock, onProgress } = this.#deps;
    this.#ended += 1;
    const now = clock.now();
    if (now - this.#heartbeatAt >= HEARTBEAT_MS) {
      this.#heartbeatAt = now;
      this.#log.heartbeat(this.#runId, now);
    }
    const waiting = Math.max(0, this.#lanes.waiting - 1);
    onProgress?.({
      job,
      request: line,
      ended: this.#ended,
      planned: this.#ended + waiting,
      callsSent: this.#lanes.callsSent,
      remainingMs: ((now - this.#startedAt) / this.#ended) * waiting,
    });
  }

  /** Reason for an incomplete run: the signal, the stop, or the first failed request. */
  #reason(): string | null {
    const { signal } = this.#deps;
    if (this.#stop === undefined) return this.#log.firstFailure(this.#runId);
    return signal.aborted ? messageOf(signal.reason) : this.#stop.message;
  }

  async #finish(): Promise<RunSummary> {
    const { clock, signal } = this.#deps;
    const items = this.#log.states(this.#runId);
    const stop = this.#stop;
    const paused = stop instanceof PausedError || (stop !== undefined && signal.aborted);
    const outcome = paused
      ? 'paused'
      : stop !== undefined
        ? 'failed'
        : items.failed === 0
          ? 'complete'
          : items.done > 0
            ? 'partial'
            : 'failed';
    const resumesAt = stop instanceof PausedError ? stop.resumesAt : null;
    const calls = this.#log.calls(this.#runId);
    const at = clock.now();
    const summary: RunSummary = {
      runId: this.#runId,
      outcome,
      startedAt: isoOf(this.#startedAt),
      finishedAt: isoOf(at),
      calls: {
        sent: sumOf(calls, 'sent'),
        ok: sumOf(calls, 'ok'),
        failed: sumOf(calls, 'failed'),
        byJob: Object.fromEntries(calls.map(({ job, ...counts }) => [job, counts])),
      },
      rows: this.#rows,
      rejected: this.#log.rejected(this.#runId),
      drift: this.#log.drift(this.#runId),
      quota: await quotaOf(this.#lanes.all),
      resumesAt: resumesAt === null ? null : isoOf(resumesAt),
      reason: this.#reason(),
      items,
    };
    this.#log.finish(this.#runId, { outcome, at, resumesAt, summary });
    logEnd(this.#logger, summary);
    return summary;
  }
}
