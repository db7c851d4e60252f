import { isObject, type JsonObject } from '../json-object.ts';

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

/**
 * The further fields of a row, as JSON, after an observation: the newer one's win field by field,
 * and one that an observation leaves out keeps what is known.
 */
export const mergeExtra = (
  known: string | null,
  seen: Record<string, unknown> | null,
  seenWins: boolean,
): string | null => {
  if (seen === null || Object.keys(seen).length === 0) return known;
  const seenText = JSON.stringify(seen);
  if (known === null || known === seenText) return seenText;
  const knownFields = JSON.parse(known) as Record<string, unknown>;
  const joined = joinExtra(knownFields, seen);
  return JSON.stringify(seenWins ? joined : joinExtra(joined, knownFields));
};

/**
 * The further fields of a row that an observation changes, as they were: each in an array, an empty one
 * where it was not there. JSON, as table `extra_revision` keeps it.
 */
export const formerFields = (before: string | null, after: string | null): string => {
  const [was, is] = [before, after].map(
    (text) => (text === null ? {} : JSON.parse(text)) as JsonObject,
  ) as [JsonObject, JsonObject];
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  );
  return JSON.stringify(
    Object.fromEntries(changed.map((name) => [name, name in was ? [was[name]] : []])),
  );
};
