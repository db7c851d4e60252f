/** One piece of work under way, and how many still want it. */
interface Going<T> {
  readonly done: Promise<T>;
  readonly unwanted: AbortController;
  waiting: number;
}

/** Work that can be shared: the signal says that nobody waits for it any more. */
type Work<T> = (unwanted: AbortSignal) => Promise<T>;

/** Reasons of a signal need not be errors. */
const goneError = ({ reason }: AbortSignal): Error =>
  new Error('Whoever asked has gone.', { cause: reason });

/** Does equal work under way once for all who want it. */
export class SharedWork<T> {
  readonly #going = new Map<string, Going<T>>();

  #begin(name: string, work: Work<T>): Going<T> {
    const unwanted = new AbortController();
    const begun = { done: work(unwanted.signal), unwanted, waiting: 0 };
    this.#going.set(name, begun);
    const end = (): void => void this.#going.delete(name);
    begun.done.then(end, end);
    return begun;
  }

  /**
   * Has the work of `name` done, or waits for it where it is under way already. `gone` tells when
   * whoever asks waits no longer; whether the work stops when all have gone is the work's to say.
   */
  do(name: string, work: Work<T>, gone?: AbortSignal): Promise<T> {
    if (gone?.aborted === true) return Promise.reject(goneError(gone));
    const shared = this.#going.get(name) ?? this.#begin(name, work);
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
