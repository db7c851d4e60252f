import { clientGone } from '../http/problems.ts';

interface Running<T> {
  readonly done: Promise<T>;
  readonly unwanted: AbortController;
  waiting: number;
}

type Work<T> = (unwanted: AbortSignal) => Promise<T>;

/** Runs equal concurrent work once. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  /**
   * Runs the work of `name`, or joins it if it is running. Rejects when `gone` aborts. The work's signal
   * aborts when all callers have gone. Work that stopped for that reason is run again for those who joined
   * it later.
   */
  async do(name: string, work: Work<T>, gone?: AbortSignal): Promise<T> {
    for (;;) {
      if (gone?.aborted === true) throw clientGone();
      const shared = this.#running.get(name) ?? this.#begin(name, work);
      try {
        return await this.#join(shared, gone);
      } catch (error) {
        if (!shared.unwanted.signal.aborted) throw error;
      }
    }
  }

  #begin(name: string, work: Work<T>): Running<T> {
    const unwanted = new AbortController();
    const begun = { done: work(unwanted.signal), unwanted, waiting: 0 };
    this.#running.set(name, begun);
    const end = (): void => void this.#running.delete(name);
    begun.done.then(end, end);
    return begun;
  }

  #join(shared: Running<T>, gone: AbortSignal | undefined): Promise<T> {
    shared.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        shared.waiting -= 1;
        if (shared.waiting === 0) shared.unwanted.abort();
        if (gone !== undefined) reject(clientGone());
      };
      gone?.addEventListener('abort', leave, { once: true });
      const stay = (): void => gone?.removeEventListener('abort', leave);
      shared.done.then(resolve, reject).finally(stay);
    });
  }
}
