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

/** Reasons of a signal need not be errors. */
const goneError = ({ reason }: AbortSignal): Error =>
  new Error('Whoever asked has gone.', { cause: reason });

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
    if (gone?.aborted === true) return Promise.reject(goneError(gone));
    const shared = going.get(key) ?? begin(key, work);
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
  };
};
