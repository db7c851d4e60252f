import { fieldOf, isObject, type JsonObject } from '../../base/json-object.ts';
import type { Extra } from '../../base/wire/observation.ts';

/**
 * Joins further fields of two observations: the later ones win, but the originals under `odd`, one
 * per field, are kept of both.
 */
export const joinExtra = (earlier: JsonObject | null, later: JsonObject | null): JsonObject => {
  const joined = { ...earlier, ...later };
  return isObject(earlier?.odd) && isObject(later?.odd)
    ? { ...joined, odd: { ...earlier.odd, ...later.odd } }
    : joined;
};

/** Further fields as a row keeps them: JSON. */
export const extraText = (extra: Extra): string | null =>
  extra === null || typeof extra === 'string' ? extra : JSON.stringify(extra);

/**
 * The further fields of a row, as JSON, after an observation: the newer one's win field by field,
 * and one that an observation leaves out keeps what is known.
 */
export const mergeExtra = (
  known: string | null,
  seen: string | null,
  seenWins: boolean,
): string | null => {
  if (seen === null || seen === '{}') return known;
  if (known === null || known === seen) return seen;
  const [knownFields, seenFields] = [known, seen].map((text) => JSON.parse(text)) as [
    JsonObject,
    JsonObject,
  ];
  const joined = joinExtra(knownFields, seenFields);
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
    (name) => JSON.stringify(fieldOf(was, name)) !== JSON.stringify(fieldOf(is, name)),
  );
  return JSON.stringify(
    Object.fromEntries(changed.map((name) => [name, Object.hasOwn(was, name) ? [was[name]] : []])),
  );
};
