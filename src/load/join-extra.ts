import { isObject, type JsonObject } from '../fields.ts';

/**
 * Further fields of two observations as one: the later one's stand, but the originals under `odd`,
 * each of a field of its own, are kept of both.
 */
export const joinExtra = (earlier: JsonObject | null, later: JsonObject | null): JsonObject => {
  const joined = { ...earlier, ...later };
  return isObject(earlier?.odd) && isObject(later?.odd)
    ? { ...joined, odd: { ...earlier.odd, ...later.odd } }
    : joined;
};
