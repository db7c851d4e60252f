import type { Platform } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../open.ts';
import { type RowOf, required } from '../prepare.ts';
import { knownBy, lastKnown, WORDS_THEN, wordThen } from '../read/as-of-sql.ts';
import { contentItems } from '../read/content-items.ts';
import { prepared, statement } from '../statements.ts';
import {
  ftsExpression,
  type Phrase,
  parseTerms,
  type SearchTerms,
  wordsOf,
} from './search-words.ts';
import { holds, textOf, unindexedMatches } from './unindexed-matches.ts';

/** A search. Instants and spans in milliseconds. */
export interface SearchQuery {
  readonly q: string;
  readonly platform?: Platform | undefined;
  /** Only videos published at or after this instant. */
  readonly since?: number | undefined;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
  /** Videos first seen later are not there. */
  readonly asOf: number;
  /** After this time the search returns the matches found so far. */
  readonly deadlineMs: number;
}

export interface SearchResult {
  /** Matching videos. A lower bound where `complete` is false. */
  readonly total: number;
  /** Keys of the videos of this page, best first. */
  readonly keys: number[];
  /** False when counting stopped at `COUNTED_MOST` or at the deadline. */
  readonly complete: boolean;
  /** True when the deadline came first: asked again, it may find more. */
  readonly isCutOff: boolean;
}

/** This many newest matches are ranked; older ones follow them, newest first. */
export const RANKED_MOST = 1000;
/** With a window or an earlier `asOf`, matches are counted up to this many. */
export const COUNTED_MOST = 10_000;

const CANDIDATE = { title: 'text?', user: 'text?', views: 'number?' } as const;
type Candidate = RowOf<typeof CANDIDATE>;

/**
 * Score of a match: 1 for a word in the title and 0.6 in handle or hashtags only (mean over the
 * words), plus 0.5 if the words are in the title as written, plus 1 if they are the handle, plus
 * a tenth of the decimal logarithm of the views (a million views: 0.6).
 */
const matchScore = (wanted: readonly Phrase[], video: Candidate): number => {
  const title = textOf(wordsOf(video.title ?? ''));
  const words = wanted.flatMap((phrase) => phrase.words);
  const inTitle = wanted.filter((phrase) => holds(title, phrase)).length / wanted.length;
  const inOrder = wanted.length > 1 && holds(title, { words, prefix: true }) ? 0.5 : 0;
  const isHandle = textOf(wordsOf(video.user ?? '')) === textOf(words) ? 1 : 0;
  const reach = Math.log10(1 + Math.max(0, video.views ?? 0)) / 10;
  return inTitle + 0.6 * (1 - inTitle) + inOrder + isHandle + reach;
};

/** True if the index has a video's current words. */
const IS_INDEXED = ' and not exists (select 1 from search_pending p where p.video_key = s.rowid)';

const WINDOW_KEYS_MOST = 50_000;

/** Keys between which every video published since an instant lies; undefined for a wide window. */
const keyRange = (lake: Lake, since: number): readonly [number, number] | undefined => {
  const { low, high, size } = required(
    prepared(
      lake,
      `select min(key) as low, max(key) as high, count(*) as size
      from (select key from video where created_at >= ? limit ?)`,
      { low: 'number?', high: 'number?', size: 'number' },
    ).get(since, WINDOW_KEYS_MOST),
  );
  return size < WINDOW_KEYS_MOST ? [low ?? 0, high ?? 0] : undefined;
};

/** True if the lake has observations later than `asOf`. */
const hasLaterRows = (lake: Lake, asOf: number): boolean =>
  [
    'select max(first_seen_at) from video',
    'select max(observed_at) from video_snapshot',
    'select max(until_at) from video_revision',
  ].some((sql) => (prepared(lake, sql, 'number?').get() ?? 0) > asOf);

const UNCHANGED =
  'not exists (select 1 from video_revision r where r.video_key = v.key and r.until_at > @asOf)';

/**
 * `since` and `asOf` as SQL, left out where they exclude nothing: each costs a row read per match.
 * Rows come in time order on most lakes, so a window's keys lie close together. The index holds the
 * words that videos have now: those that had others at `asOf` are left to `unindexedMatches`.
 */
const filterOf = (lake: Lake, { since, asOf }: SearchQuery, isPast: boolean) => {
  const range = since === undefined ? undefined : keyRange(lake, since);
  const [low, high] = range ?? [0, 0];
  const sql = [
    isPast ? ` and ${knownBy('v', '@asOf')} and ${UNCHANGED}` : '',
    since === undefined ? '' : ' and v.created_at >= @since',
    range === undefined ? '' : ' and s.rowid between @low and @high',
  ].join('');
  return { sql, values: { asOf, since: since ?? 0, low, high } };
};

/** SQL of matches, the newest first: those of the index and @others (a JSON array of keys). */
const matchesQuery = (filter: string, join = ''): string => `
  select s.rowid from search s ${join} where search match @expression${filter}
  union all select value from json_each(@others) order by 1 desc limit @limit offset @offset`;

const CANDIDATE_THEN = `
  select ${wordThen('title')} as title, ${wordThen('user')} as user,
    ${lastKnown('views', { video: 'v.key', at: '@asOf' })} as views
  from video v left join video_revision r on ${WORDS_THEN} where v.key = :key`;

/** The given videos by `matchScore`, best first; with the views known at `asOf`. */
const bestFirst = (
  lake: Lake,
  { wanted }: SearchTerms,
  keys: readonly number[],
  asOf: number | undefined,
): number[] => {
  const read = prepared(
    lake,
    asOf === undefined ? 'select title, user, views from video where key = :key' : CANDIDATE_THEN,
    CANDIDATE,
  );
  return keys
    .map((key) => ({ key, score: matchScore(wanted, required(read.get({ key, asOf }))) }))
    .sort((a, b) => b.score - a.score || b.key - a.key)
    .map(({ key }) => key);
};

/**
 * Videos whose title, handle or hashtags match `q`, best first.
 *
 * The newest `RANKED_MOST` matches are ranked by `matchScore`; older ones follow, newest first, so
 * a word that half the lake holds costs no more than a rare one, and every match is on some page.
 * `total` is exact for the words and the platform; with a window or an earlier `asOf` matches count
 * up to `COUNTED_MOST`. A text without a wanted word (only punctuation, only `-without`) finds
 * nothing. No `q` fails.
 * @param clock measures the deadline
 */
export const searchVideos = (
  lake: Lake,
  query: SearchQuery,
  clock: Pick<Clock, 'monotonic'>,
): SearchResult => {
  const terms = parseTerms(query.q);
  const expression = ftsExpression(terms, query.platform);
  if (expression === undefined) return { total: 0, keys: [], complete: true, isCutOff: false };
  const stopAt = clock.monotonic() + query.deadlineMs;
  const late = (): boolean => clock.monotonic() > stopAt;
  const isPast = hasLaterRows(lake, query.asOf);
  const { sql, values } = filterOf(lake, query, isPast);
  const isWaiting = statement(lake, 'select 1 from search_pending limit 1').get() !== undefined;
  const others = isPast || isWaiting ? unindexedMatches(lake, terms, query, late) : [];
  const indexed = isWaiting ? IS_INDEXED : '';
  const most = sql === '' ? RANKED_MOST : COUNTED_MOST;
  const newestFirst = matchesQuery(
    `${sql}${indexed}`,
    sql === '' ? '' : 'cross join video v on v.key = s.rowid',
  );
  const newest: number[] = [];
  for (const key of prepared(lake, newestFirst, 'number').iterate({
    ...values,
    expression,
    others: JSON.stringify(others),
    limit: most,
    offset: 0,
  })) {
    newest.push(key);
    if (newest.length % 256 === 0 && late()) break;
  }
  const ranked = bestFirst(
    lake,
    terms,
    newest.slice(0, RANKED_MOST),
    isPast ? query.asOf : undefined,
  );
  const found = [...ranked, ...newest.slice(RANKED_MOST)];
  const offset = (query.page - 1) * query.limit;
  const keys = found.slice(offset, offset + query.limit);
  const isCutOff = late();
  const isWhole = newest.length < most && !isCutOff;
  if (isWhole || sql !== '' || isCutOff)
    return { total: found.length, keys, complete: isWhole, isCutOff };
  const count = `select count(*) from search s where search match ?${indexed}`;
  const total = others.length + required(prepared(lake, count, 'number').get(expression));
  const missing = Math.min(query.limit, total - offset) - keys.length;
  if (missing > 0) {
    const before = newest.at(-1) ?? 0;
    const older = prepared(lake, matchesQuery(`${indexed} and s.rowid < @before`), 'number').all({
      expression,
      before,
      others: JSON.stringify(others.filter((key) => key < before)),
      limit: missing,
      offset: Math.max(0, offset - found.length),
    });
    keys.push(...older);
  }
  return { total, keys, complete: true, isCutOff: false };
};

/** One page of matches, best first. */
export interface SearchPage {
  /** Matching videos; a lower bound where counting stopped. */
  readonly total: number;
  readonly items: ContentItem[];
  /** True when the deadline came first: asked again, it may find more. */
  readonly isCutOff: boolean;
}

/** `GET /search`, from one state of the lake. Query and page are plain data, for threads. */
export const searchPage = (
  lake: Lake,
  query: SearchQuery,
  clock: Pick<Clock, 'monotonic'>,
): SearchPage =>
  lake.sqlite.transaction(() => {
    const { total, keys, isCutOff } = searchVideos(lake, query, clock);
    const before = (query.page - 1) * query.limit;
    const entries = keys.map((key, index) => ({
      key,
      rank: before + index + 1,
      score: null,
      velocity: null,
    }));
    return { total, items: contentItems(lake, entries, query.asOf), isCutOff };
  })();
