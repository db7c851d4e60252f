import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import type { RowOf } from '../prepare.ts';
import { knownBy, TAGS_THEN, WORDS_THEN, wordThen } from '../read/as-of-sql.ts';
import { prepared } from '../statements.ts';
import { type Phrase, type SearchTerms, wordsOf } from './search-words.ts';

// Matches that the index cannot find: words that videos had before, and words so new that they are
// not in it yet. Both are read and compared with the search, one video after the other.

/** Words as the index holds them, a blank around each. */
export const textOf = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** True if a text (of `textOf`) has a phrase. */
export const holds = (text: string, { words, prefix }: Phrase): boolean =>
  text.includes(` ${words.join(' ')}${prefix ? '' : ' '}`);

/** Videos that had other words at @asOf or wait to be put into the index, with their words then. */
const UNINDEXED = `
  select v.key, ${wordThen('title')} as title, ${wordThen('user')} as user, ${TAGS_THEN} as tags
  from (select video_key as key from video_revision where until_at > @asOf
    union select video_key from search_pending) c
  cross join video v on v.key = c.key left join video_revision r on ${WORDS_THEN}
  where ${knownBy('v', '@asOf')} and (@platform is null or v.platform = @platform)
    and (@since is null or v.created_at >= @since)
  order by v.key desc`;

const READ = { key: 'number', title: 'text?', user: 'text?', tags: 'text' } as const; // tags: JSON array

/** Result of the index for a video with these words. */
const isMatch = ({ wanted, unwanted }: SearchTerms, video: RowOf<typeof READ>): boolean => {
  const texts = [video.title, video.user, ...(JSON.parse(video.tags) as string[])].map((text) =>
    textOf(wordsOf(text ?? '')),
  );
  const has = (phrase: Phrase): boolean => texts.some((text) => holds(text, phrase));
  return wanted.every(has) && !unwanted.some(has);
};

/**
 * Keys of the matches that the index cannot find, the newest first. While a run or an import loads
 * some thousand videos may wait, and after one that was killed as many as it loaded: then reading stops
 * when it is `late`.
 */
export const unindexedMatches = (
  lake: Lake,
  terms: SearchTerms,
  {
    asOf,
    since,
    platform,
  }: { asOf: number; since?: number | undefined; platform?: Platform | undefined },
  late: () => boolean,
): number[] => {
  const keys: number[] = [];
  let read = 0;
  const scope = { asOf, since: since ?? null, platform: platform ?? null };
  for (const video of prepared(lake, UNINDEXED, READ).iterate(scope)) {
    if (isMatch(terms, video)) keys.push(video.key);
    read += 1;
    if (read % 256 === 0 && late()) break;
  }
  return keys;
};
