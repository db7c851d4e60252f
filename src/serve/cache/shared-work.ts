interface Running<T> {
  readonly done: Promise<T>;
  readonly unwanted: AbortController;
  waiting: number;
}

type Work<T> = (unwanted: AbortSignal) => Promise<T>;

const goneError = ({ reason }: AbortSignal): Error =>
  new Error('The client closed the connection.', { cause: reason });

/** Runs equal concurrent work once. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  #begin(name: string, work: Work<T>): Running<T> {
    const unwanted = new AbortController();
    const begun = { done: work(unwanted.signal), unwanted, waiting: 0 };
    this.#running.set(name, begun);
    const end = (): void => void this.#running.delete(name);
    begun.done.then(end, end);
    return begun;
  }

  /**
   * Runs the work of `name`, or joins it if it is running. Rejects when `gone` aborts. The work's signal
   * aborts when all callers have gone.
   */
  do(name: string, work: Work<T>, gone?: AbortSignal): Promise<T> {
    if (gone?.aborted === true) return Promise.reject(goneError(gone));
    const shared = this.#running.get(name) ?? this.#begin(name, work);
    shared.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        shared.waiting -= 1;
        if (shared.waiting === 0) shared.unwanted.abort();
        if (gone !== undefined) reject(goneError(gone));
      };
      gone?.addEventListener('abort', leave, { once: true });
      const stay = (): void => gone?.removeEventListener('abort', leave);
      shared.done.then(resolve, reject).finally(stay);
    });
  }
}
