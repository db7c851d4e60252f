import { isObject, type JsonObject } from '../json-object.ts';
import { FIELDS, HOLDERS } from './field-table.ts';
import { namesOf } from './fields.ts';

/** An array in a response, the object that holds it, and its path. */
export interface FoundArray {
  readonly list: unknown[];
  readonly holder: JsonObject | undefined;
  readonly path: string;
}

/** Finds the first array under one of the names, also one level deeper. */
export const findArray = (value: unknown, names: readonly string[]): FoundArray | undefined => {
  if (Array.isArray(value)) return { list: value, holder: undefined, path: 'a bare list' };
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const inner = value[name];
    if (Array.isArray(inner)) return { list: inner, holder: value, path: name };
    if (!isObject(inner)) continue;
    for (const deeper of names)
      if (Array.isArray(inner[deeper]))
        return { list: inner[deeper], holder: inner, path: `${name}.${deeper}` };
  }
  return undefined;
};

/** Returns the value at a dotted path, or undefined. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
          ? (inner as JsonObject)[name]
          : undefined,
      value,
    );

/** Finds the array at the first of some dotted paths that leads to one. */
export const arrayAt = (value: unknown, paths: readonly string[]): FoundArray | undefined => {
  for (const path of paths) {
    const list = valueAt(value, path);
    if (!Array.isArray(list)) continue;
    const holder = path.includes('.') ? valueAt(value, path.replace(/\.[^.]+$/, '')) : value;
    return { list, holder: isObject(holder) ? holder : undefined, path };
  }
  return undefined;
};

const SAYS = [...namesOf(FIELDS.creator), ...HOLDERS.creatorVideos, ...HOLDERS.creatorGrowth];
const isProfile = (value: unknown): value is JsonObject =>
  isObject(value) && SAYS.some((name) => Object.hasOwn(value, name));

/** The profile in a response: the object itself, or the one that it holds under an accepted name. */
export const creatorIn = (value: unknown): unknown => {
  if (!isObject(value) || isProfile(value)) return value;
  return HOLDERS.creator.map((name) => value[name]).find(isProfile) ?? value;
};
