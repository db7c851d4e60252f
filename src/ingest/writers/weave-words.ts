/** Title, handle and ordered hashtag keys of a video. */
export interface VideoWords {
  readonly title: string | null;
  readonly user: string | null;
  readonly tagKeys: readonly number[];
}

/** Words of a video until an instant (Unix ms). The current ones last until infinity. */
export interface WordsUntil {
  readonly untilAt: number;
  readonly words: VideoWords;
}

/** Words stated at an instant (Unix ms), valid until the next instant with stated words. */
export interface StatedWords extends WordsUntil {
  readonly at: number;
  /** True if no earlier words are known. */
  readonly isFirst: boolean;
  /** True if words of this instant are known. They stay, and their gaps are filled. */
  readonly isKnown: boolean;
}

const union = (a: readonly number[], b: readonly number[]): number[] => [...new Set([...a, ...b])];

/** Fills missing words. Hashtags are joined, as a video keeps all its hashtags. */
const filled = (words: VideoWords, others: VideoWords): VideoWords => ({
  title: words.title ?? others.title,
  user: words.user ?? others.user,
  tagKeys: union(words.tagKeys, others.tagKeys),
});

/** Replaces words. Missing ones keep their value, and hashtags are joined. */
const replaced = (words: VideoWords, by: VideoWords): VideoWords => ({
  title: by.title ?? words.title,
  user: by.user ?? words.user,
  tagKeys: union(words.tagKeys, by.tagKeys),
});

const sameWords = (a: VideoWords, b: VideoWords): boolean =>
  a.title === b.title &&
  a.user === b.user &&
  a.tagKeys.length === b.tagKeys.length &&
  a.tagKeys.every((key) => b.tagKeys.includes(key));

/**
 * Weaves words that arrived late into the known ones, as if all had arrived in time order. Repeating it
 * changes nothing.
 * @param known words since the instant of `stated`, oldest first; the last ones until infinity
 */
export const weaveWords = (
  known: readonly WordsUntil[],
  { at, untilAt, words, isFirst, isKnown }: StatedWords,
): readonly WordsUntil[] => {
  const before = known.filter((span) => span.untilAt === at);
  const since = known.slice(before.length);
  const [then] = since; // the words at that instant, as known so far
  if (then === undefined) throw new Error('Words until infinity are missing.');
  // the first words keep their gaps, as all known ones are later
  const isAlone = isFirst && untilAt < Number.POSITIVE_INFINITY;
  const stated = isAlone ? words : replaced(then.words, words);
  const isOther = !isKnown && !sameWords(stated, then.words);
  // known words without a statement in between were assumed to last; stated ones take their span
  const rest = isOther && untilAt >= then.untilAt ? since.slice(1) : since;
  const after = [
    ...(isOther ? [{ untilAt, words: stated }] : []),
    ...rest.map((span) => ({ ...span, words: filled(span.words, words) })),
  ];
  if (!isOther && after.every((span, index) => sameWords(span.words, rest[index]?.words ?? words)))
    return known;
  const past = isFirst || before.length > 0 ? before : [{ untilAt: at, words: then.words }];
  const woven = [...past, ...after];
  // unchanged words need no row
  return woven.filter((span, index) => {
    const next = woven[index + 1];
    return next === undefined || !sameWords(span.words, next.words);
  });
};
