/** Title, handle and ordered hashtag keys of a video. */
export interface VideoWords {
  readonly title: string | null;
  readonly user: string | null;
  readonly tagKeys: readonly number[];
}

/** The words of a video until an instant (Unix ms); those it has now: until infinity. */
export interface WordsUntil {
  readonly untilAt: number;
  readonly words: VideoWords;
}

/** Words stated at an instant (Unix ms), and until when they held: the next instant at which any were. */
export interface StatedWords extends WordsUntil {
  readonly at: number;
  /** No words of the video are known to have been stated before. */
  readonly isFirst: boolean;
  /** Words of that very instant are known: they stand, and what they lack is filled. */
  readonly isKnown: boolean;
}

const union = (a: readonly number[], b: readonly number[]): number[] => [...new Set([...a, ...b])];

/** Words with others where they lack any; a video keeps each hashtag it was seen with. */
const filled = (words: VideoWords, others: VideoWords): VideoWords => ({
  title: words.title ?? others.title,
  user: words.user ?? others.user,
  tagKeys: union(words.tagKeys, others.tagKeys),
});

/** Later words that replace earlier ones; fields that their source lacks stay. */
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
 * The words a video had, in time order, once words are known that were stated before the newest of
 * them: as if all had come in the order of their instants. Pure; weaving the same again changes nothing.
 * @param known those from the instant of `stated` on, the last of them until infinity
 */
export const weaveWords = (
  known: readonly WordsUntil[],
  { at, untilAt, words, isFirst, isKnown }: StatedWords,
): readonly WordsUntil[] => {
  const before = known.filter((span) => span.untilAt === at);
  const since = known.slice(before.length);
  const [then] = since; // the words at that instant, as known so far
  if (then === undefined) throw new Error('Words until infinity are missing.');
  // // nothing fills the gaps of the first words: known ones are of later
  const isAlone = isFirst && untilAt < Number.POSITIVE_INFINITY;
  const stated = isAlone ? words : replaced(then.words, words);
  const isOther = !isKnown && !sameWords(stated, then.words);
  // // known words without a new statement in between were assumed to last: stated ones take their
  // span
  const rest = isOther && untilAt >= then.untilAt ? since.slice(1) : since;
  const after = [
    ...(isOther ? [{ untilAt, words: stated }] : []),
    ...rest.map((span) => ({ ...span, words: filled(span.words, words) })),
  ];
  if (!isOther && after.every((span, index) => sameWords(span.words, rest[index]?.words ?? words)))
    return known;
  const past = isFirst || before.length > 0 ? before : [{ untilAt: at, words: then.words }];
  const woven = [...past, ...after];
  // // unchanged words need no new row
  return woven.filter((span, index) => {
    const next = woven[index + 1];
    return next === undefined || !sameWords(span.words, next.words);
  });
};
