// Limits of one item, far above those of any platform. Longer values are stored and reported, but
// not read completely: sorting combining marks takes quadratic time.

/** Characters of a title or handle that are searched for words and hashtags. */
export const READ_CHARACTERS = 10_000;

/** Hashtags of one video. */
export const MOST_TAGS = 500;

/** Characters of one hashtag. */
export const LONGEST_TAG = 256;
