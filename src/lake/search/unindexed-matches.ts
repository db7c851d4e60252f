import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import type { Prepared, RowOf } from '../prepare.ts';
import { knownBy } from '../read/known-by.ts';
import { WORDS_THEN } from '../read/words-then.ts';
import { prepared, statement } from '../statements.ts';
import type { SearchTerms } from './search-terms.ts';
import { type Phrase, wordsOf } from './search-words.ts';

// Matches that the index cannot find: words that videos had before, and words so new that they are
// not in it yet. Both are read and held against what is asked, one video after the other.

/** Words as the index holds them, a blank around each. */
export const textOf = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** True if a text (of `textOf`) has a phrase. */
export const holds = (text: string, { words, prefix }: Phrase): boolean =>
  text.includes(` ${words.join(' ')}${prefix ? '' : ' '}`);

/** Videos that have other words now than they had at @asOf, with those they had; the newest first. */
const CHANGED = `
  select v.key, r.title, r.user, (select json_group_array(h.tag)
    from json_each('[' || coalesce(r.tags, '') || ']') t join hashtag h on h.key = t.value) as tags
  from (select distinct video_key as key from video_revision where until_at > @asOf) c
  cross join video v on v.key = c.key
  join video_revision r on ${WORDS_THEN}
  where ${knownBy('v', '@asOf')} and (@platform is null or v.platform = @platform)
    and (@since is null or v.created_at >= @since)
  order by v.key desc`;

const READ = { key: 'number', title: 'text?', user: 'text?', tags: 'text' } as const; // tags: JSON array
type ReadVideo = RowOf<typeof READ>;

/** Result of the index for a video with these words. */
const isMatch = ({ wanted, unwanted }: SearchTerms, video: ReadVideo): boolean => {
  const texts = [video.title, video.user, ...(JSON.parse(video.tags) as string[])].map((text) =>
    textOf(wordsOf(text ?? '')),
  );
  const has = (phrase: Phrase): boolean => texts.some((text) => holds(text, phrase));
  return wanted.every(has) && !unwanted.some(has);
};

/** Of which videos, as of when; as in a search. Instants in Unix ms. */
interface MatchScope {
  readonly asOf: number;
  readonly since?: number | undefined;
  readonly platform?: Platform | undefined;
}

const matchesOf = (
  videos: Prepared<ReadVideo>,
  terms: SearchTerms,
  { asOf, since, platform, isPast }: MatchScope & { isPast?: boolean },
  late: () => boolean,
): number[] => {
  const keys: number[] = [];
  let read = 0;
  const rows = videos.iterate({
    asOf,
    since: since ?? null,
    platform: platform ?? null,
    ...(isPast === undefined ? {} : { isPast: isPast ? 1 : 0 }),
  });
  for (const video of rows) {
    if (isMatch(terms, video)) keys.push(video.key);
    read += 1;
    if (read % 256 === 0 && late()) break;
  }
  return keys;
};

/** Keys of the matches among videos whose words were others at `asOf`, the newest first. */
export const changedSince = (
  lake: Lake,
  terms: SearchTerms,
  scope: MatchScope,
  late: () => boolean,
): number[] => matchesOf(prepared(lake, CHANGED, READ), terms, scope, late);

/** Videos that wait to be put into the index, with their words; the newest first. */
const WAITING = `
  select v.key, v.title, v.user, (select json_group_array(h.tag) from video_hashtag vh
    cross join hashtag h on h.key = vh.hashtag_key where vh.video_key = v.key) as tags
  from search_pending w cross join video v on v.key = w.video_key
  where (@platform is null or v.platform = @platform)
    and (@since is null or v.created_at >= @since)
    and (@isPast = 0 or (${knownBy('v', '@asOf')} and not exists (
      select 1 from video_revision r where r.video_key = v.key and r.until_at > @asOf)))
  order by v.key desc`;

/**
 * Keys of the matches among videos that wait to be put into the index (`search_pending`), the newest
 * first; undefined where none waits. While a run or an import loads there may be some thousand, and
 * after one that was killed as many as it loaded: then reading stops when it is `late`.
 */
export const unindexed = (
  lake: Lake,
  terms: SearchTerms,
  scope: MatchScope & { isPast: boolean },
  late: () => boolean,
): number[] | undefined =>
  statement(lake, 'select 1 from search_pending limit 1').get() === undefined
    ? undefined
    : matchesOf(prepared(lake, WAITING, READ), terms, scope, late);
