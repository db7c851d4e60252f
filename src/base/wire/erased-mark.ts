import { isObject } from '../json-object.ts';

/** Left in place of an erased item, so that the ranks of the others stay right. */
export const ERASED_MARK = { erased: true };

/** True of what erasing left in a stored response. */
export const isErasedMark = (value: unknown): boolean =>
  isObject(value) && value.erased === true && Object.keys(value).length === 1;
