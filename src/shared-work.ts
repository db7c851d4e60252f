/** One piece of work under way, and how many still want it. */
interface Going<T> {
  readonly done: Promise<T>;
  readonly unwanted: AbortController;
  waiting: number;
}

/**
 * Has the work of `key` done, or waits for it where it is under way already. `gone` tells when whoever
 * asks waits no longer.
 */
export type Share<T> = (
  key: string,
  work: (unwanted: AbortSignal) => Promise<T>,
  gone?: AbortSignal,
) => Promise<T>;

/**
 * Does equal work under way once for all who want it. The signal handed to the work says that the last
 * of them has gone; whether it then stops is the work's to say.
 */
export const sharedWork = <T>(): Share<T> => {
  const going = new Map<string, Going<T>>();

  const begin = (key: string, work: (unwanted: AbortSignal) => Promise<T>): Going<T> => {
    const unwanted = new AbortController();
    const begun = { done: work(unwanted.signal), unwanted, waiting: 0 };
    going.set(key, begun);
    const end = (): void => void going.delete(key);
    begun.done.then(end, end);
    return begun;
  };

  return (key, work, gone) => {
    gone?.throwIfAborted();
    const shared = going.get(key) ?? begin(key, work);
    shared.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        shared.waiting -= 1;
        if (shared.waiting === 0) shared.unwanted.abort();
        reject(gone?.reason);
      };
      gone?.addEventListener('abort', leave, { once: true });
      const stay = (): void => gone?.removeEventListener('abort', leave);
      shared.done.then(resolve, reject).finally(stay);
    });
  };
};
