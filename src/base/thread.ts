import { parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';
import { LakeError, messageOf, TrendlakeError } from './errors.ts';

export interface ThreadOptions {
  /** A module that calls `answerRequests`; see `workerFile`. */
  readonly file: URL;
  /** Name in error messages, such as `export`. */
  readonly name: string;
  /** Data for the thread, read with `threadStart`. */
  readonly start?: unknown;
  /** Heap limits in MiB. A small young generation saves memory if rows are short-lived. */
  readonly limits?: ResourceLimits;
}

export interface ThreadRequestOptions<Progress> {
  /** Stops the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  readonly transient: boolean;
  /** Error code of SQLite or the operating system. */
  readonly code: string | undefined;
}

interface Question<Request> {
  readonly id: number;
  readonly request: Request;
}

type Answer<Reply, Progress> = { readonly id: number } & (
  | { readonly reply: Reply }
  | { readonly progress: Progress }
  | { readonly failure: Failure }
);

interface Started {
  readonly start: unknown;
  /** Highest id of a stopped request. */
  readonly stoppedId: SharedArrayBuffer;
}

interface Pending<Reply, Progress> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

const errorOf = ({ message, stack, transient, code }: Failure): Error =>
  code === undefined
    ? new LakeError(message, { transient, cause: stack })
    : Object.assign(new Error(message, { cause: stack }), { code });

/**
 * A worker thread that answers requests in order. Starts with the first request, and again after it
 * died. Keeps the process alive only while requests are pending.
 */
export class Thread<Request, Reply, Progress = never> {
  readonly #options: ThreadOptions;
  readonly #pending = new Map<number, Pending<Reply, Progress>>();
  readonly #stoppedId = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | undefined;
  /** The worker that is being ended: the process waits for it, whatever it still replies. */
  #ending: Worker | undefined;
  #lastId = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * @throws LakeError when the thread failed or ended; an Error with `code` from SQLite or the
   * operating system; the signal's reason when stopped
   */
  async request(
    request: Request,
    { signal, onProgress }: ThreadRequestOptions<Progress> = {},
  ): Promise<Reply> {
    signal?.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const stop = (): void => void Atomics.store(this.#stoppedId, 0, id);
    signal?.addEventListener('abort', stop, { once: true });
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#pending.set(id, { resolve, reject, onProgress });
    this.#worker ??= this.#startWorker();
    this.#worker.ref();
    this.#worker.postMessage({ id, request } satisfies Question<Request>);
    try {
      return await promise;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Ends the thread. Pending requests reject. */
  async close(): Promise<void> {
    this.#ending = this.#worker;
    await this.#worker?.terminate();
  }

  #startWorker(): Worker {
    const { file, name, start, limits = {} } = this.#options;
    const worker = new Worker(file, {
      workerData: { start, stoppedId: this.#stoppedId.buffer } satisfies Started,
      resourceLimits: limits,
    });
    worker.on('message', (answer: Answer<Reply, Progress>) => this.#settle(worker, answer));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', (code) =>
      this.#lose(
        worker,
        new LakeError(`The ${name} thread ended without an error, exit code ${code}.`),
      ),
    );
    return worker;
  }

  #settle(worker: Worker, answer: Answer<Reply, Progress>): void {
    const pending = this.#pending.get(answer.id);
    if ('progress' in answer) {
      pending?.onProgress?.(answer.progress);
      return;
    }
    this.#pending.delete(answer.id);
    if (this.#pending.size === 0 && worker !== this.#ending) worker.unref();
    if ('reply' in answer) pending?.resolve(answer.reply);
    else pending?.reject(errorOf(answer.failure));
  }

  #lose(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

/** Runs one request in a new thread and ends the thread. */
export const runInThread = async <Request, Reply, Progress = never>(
  options: ThreadOptions,
  request: Request,
  requestOptions?: ThreadRequestOptions<Progress>,
): Promise<Reply> => {
  const thread = new Thread<Request, Reply, Progress>(options);
  try {
    return await thread.request(request, requestOptions);
  } finally {
    await thread.close();
  }
};

export interface AnswerContext<Progress> {
  /** True after the caller stopped the request. */
  isStopped(): boolean;
  report(progress: Progress): void;
}

/** In the thread: its start data. */
export const threadStart = <Start>(): Start => (workerData as Started).start as Start;

const failureOf = (error: unknown): Failure => ({
  message: messageOf(error),
  stack: error instanceof Error && !(error instanceof TrendlakeError) ? error.stack : undefined,
  transient: error instanceof TrendlakeError && error.transient,
  code:
    error instanceof Error && !(error instanceof TrendlakeError)
      ? (error as NodeJS.ErrnoException).code
      : undefined,
});

/** In the thread: answers requests one after another. */
export const answerRequests = <Request, Reply, Progress = never>(
  answer: (request: Request, context: AnswerContext<Progress>) => Reply | Promise<Reply>,
): void => {
  const stoppedId = new Int32Array((workerData as Started).stoppedId);
  const post = (message: Answer<Reply, Progress>): void => parentPort?.postMessage(message);
  const respond = async ({ id, request }: Question<Request>): Promise<void> => {
    try {
      const reply = await answer(request, {
        isStopped: () => Atomics.load(stoppedId, 0) >= id,
        report: (progress) => post({ id, progress }),
      });
      post({ id, reply });
    } catch (error) {
      post({ id, failure: failureOf(error) });
    }
  };
  let last: Promise<void> = Promise.resolve();
  parentPort?.on('message', (question: Question<Request>) => {
    last = last.then(() => respond(question));
  });
};
