import type { Source } from '../../schema/vocabulary.ts';

/** One look at a video's count. */
export interface Look {
  readonly at: number; // Unix ms
  readonly views: number | null;
  readonly source?: Source;
}

/** A look whose count can be believed. */
export interface KnownLook extends Look {
  readonly views: number;
}

/** Whether a look says something: sources answer 0 for counts they hide or failed to read. */
export const isKnown = (look: Look): look is KnownLook => look.views !== null && look.views > 0;

/**
 * Looks that say something, at most one for each stretch of `everyMs`: the first, so that later
 * ones never change what was seen. Zeros are left out, because sources answer 0 for counts they
 * hide or failed to read.
 * @param looks oldest first
 */
export const knownLooks = (looks: readonly Look[], everyMs: number): KnownLook[] => {
  const known: KnownLook[] = [];
  let stretch = Number.NaN;
  for (const look of looks) {
    if (!isKnown(look)) continue;
    const its = Math.floor(look.at / everyMs);
    if (its === stretch) continue;
    stretch = its;
    known.push(look);
  }
  return known;
};

/** The middle value; of an even number the lower of the two middle ones. Undefined when empty. */
export const median = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
