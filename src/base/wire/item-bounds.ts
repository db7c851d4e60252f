// What is read out of one item at most. Far more than any platform lets a person write; an item with
// more is kept as it is, and reported. Sorting combining marks, which folding does, takes time with
// the square of their number.

/** Characters of a title or handle whose words are searched and whose hashtags are read. */
export const READ_CHARACTERS = 10_000;

/** Hashtags of one video. */
export const MOST_TAGS = 500;

/** Characters of one hashtag. */
export const LONGEST_TAG = 256;
