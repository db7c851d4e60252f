import { fieldOf, isObject, type JsonObject } from '../../base/json-object.ts';
import type { Extra } from '../../base/wire/observation.ts';

/** Joins further fields of two observations. The later ones win; originals in `odd` are kept of both. */
export const joinExtra = (earlier: JsonObject | null, later: JsonObject | null): JsonObject => {
  const joined = { ...earlier, ...later };
  return isObject(earlier?.odd) && isObject(later?.odd)
    ? { ...joined, odd: { ...earlier.odd, ...later.odd } }
    : joined;
};

/** Further fields as stored: JSON. */
export const extraText = (extra: Extra): string | null =>
  extra === null || typeof extra === 'string' ? extra : JSON.stringify(extra);

/** Merges the further fields of a row and an observation, as JSON. Missing fields keep their value. */
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
 * Former values of further fields that changed, as JSON for `extra_revision`. Each is in an array, which
 * is empty if the field was missing.
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
