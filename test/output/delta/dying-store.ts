import type { TableStore } from '../../../src/output/delta/table-store.ts';

/** The error of a store after its end: the process counts as killed. */
class Killed extends Error {}

/**
 * A store that dies at its `at`-th operation (from 0), before it or right after it; from then on
 * every operation fails. `operations` counts the operations begun.
 */
export const dyingStore = (store: TableStore, at: number, moment: 'before' | 'after') => {
  let operations = 0;
  let dead = false;
  const dying = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) throw new Killed();
    const dies = operations++ === at;
    if (dies && moment === 'before') dead = true;
    if (dead) throw new Killed();
    const done = await work();
    if (dies) dead = true;
    if (dead) throw new Killed();
    return done;
  };
  const wrapped: TableStore = {
    url: store.url,
    read: (key, range) => dying(() => store.read(key, range)),
    list: async function* (prefix, after) {
      if (dead) throw new Killed();
      yield* store.list(prefix, after);
    },
    sizeOf: (key) => dying(() => store.sizeOf(key)),
    create: (key, bytes) => dying(() => store.create(key, bytes)),
    replace: (key, bytes) => dying(() => store.replace(key, bytes)),
    copyIn: (key, file) => dying(() => store.copyIn(key, file)),
    remove: (keys) => dying(() => store.remove(keys)),
    tidy: (prefix, before) => dying(() => store.tidy(prefix, before)),
    [Symbol.dispose]: () => store.close(),
    close: () => store.close(),
  };
  return { store: wrapped, operations: () => operations };
};
