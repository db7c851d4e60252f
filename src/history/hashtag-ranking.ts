import { PLATFORMS, type Platform } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { present } from '../lake/prepare.ts';
import { prepared } from '../lake/statements.ts';
import type { HashtagItem } from '../wire/shapes.ts';
import { knownOr, NumberColumn } from './number-column.ts';
import { type Ranking, rankingOf } from './ranking.ts';
import { tagsThen } from './tags-then.ts';
import { watchedAlike } from './watched-alike.ts';
import { type StartFrom, spanPlan } from './window-snapshots.ts';

/** Which videos' tags are counted: those of a platform, or of all, seen inside a window. */
export interface HashtagRankingQuery {
  readonly platform: Platform | '';
  readonly windowMs: number;
}

/** Numbers of one entry: key, videos of the window before (NaN: not known), then of each platform videos and views. */
export const HASHTAG_ROW = 2 + 2 * PLATFORMS.length;

const TAGS = tagsThen('@to');
const OF_PLATFORM = `(@platform = '' or v.platform = @platform)`;

/** Videos seen in the window, with their views as last known there, and in the one before. */
const TAGGED: Readonly<Record<StartFrom, readonly string[]>> = {
  snapshots: [
    `with seen as materialized (
       select s.video_key as key, max(s.observed_at) as last_at
       from video_snapshot s indexed by video_snapshot_observed_at
       where s.observed_at > @from and s.observed_at <= @to group by s.video_key)
     select v.platform, 1, 0, l.views, ${TAGS} from seen cross join video v on v.key = seen.key
     cross join video_snapshot l on l.video_key = seen.key and l.observed_at = seen.last_at
     where ${OF_PLATFORM}`,
    `with seen as materialized (
       select distinct s.video_key as key from video_snapshot s indexed by video_snapshot_observed_at
       where s.observed_at > @before and s.observed_at <= @from)
     select v.platform, 0, 1, null, ${TAGS} from seen cross join video v on v.key = seen.key
     where ${OF_PLATFORM}`,
  ],
  videos: [
    `select v.platform, l.observed_at > @from, exists (select 1 from video_snapshot n
       where n.video_key = v.key and n.observed_at > @before and n.observed_at <= @from), l.views, ${TAGS}
     from video v not indexed
     cross join video_snapshot l on l.video_key = v.key and l.observed_at =
       (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.observed_at <= @to)
     where l.observed_at > @before and ${OF_PLATFORM}`,
  ],
};

type Row = [
  platform: Platform,
  isInside: number,
  isBefore: number,
  views: number | null,
  tags: string | null, // keys, by comma
];

/** The windows that are read: the one before only where it can be compared with. */
interface ReadWindows {
  readonly platform: Platform | '';
  readonly before: number;
  readonly from: number;
  readonly to: number;
}

const windowsFor = (
  lake: Lake,
  { platform, windowMs }: HashtagRankingQuery,
  to: number,
): ReadWindows => {
  const [from, before] = [to - windowMs, to - 2 * windowMs];
  const isAlike = watchedAlike(lake, { platform, windowMs, asOf: to });
  return { platform, before: isAlike ? before : from, from, to };
};

function* taggedVideos(
  lake: Lake,
  window: ReadWindows,
  start: StartFrom | undefined,
): Generator<Row> {
  const chosen = start ?? spanPlan(lake, { from: window.before, to: window.to }).start;
  for (const sql of TAGGED[chosen])
    yield* prepared<Row>(lake, sql, ['text', 'number', 'number', 'number?', 'text?']).iterate(
      window,
    );
}

const LARGEST_KEY = 'select coalesce(max(key), 0) from hashtag';
const WIDTH = PLATFORMS.length;

/** Counts by hashtag.key, 43 bytes each; memory that no tag touches is never taken. */
const countsOf = (lake: Lake, window: ReadWindows, start: StartFrom | undefined) => {
  const size = 1 + present(prepared(lake, LARGEST_KEY, 'number').get());
  const before = new Uint32Array(size);
  const volumes = new Uint32Array(WIDTH * size);
  const views = new Float64Array(WIDTH * size);
  const known = new Uint8Array(WIDTH * size); // 1: some views of that tag there are known
  const all = new Uint32Array(size);
  const tags = new NumberColumn(size); // keys with a video in the window
  const count = (key: number, platform: number, seen: number | null): void => {
    const at = WIDTH * key + platform;
    if (all[key] === 0) tags.push(key);
    all[key] = (all[key] as number) + 1;
    volumes[at] = (volumes[at] as number) + 1;
    if (seen === null) return;
    views[at] = (views[at] as number) + seen;
    known[at] = 1;
  };
  for (const [name, isInside, isBefore, seen, list] of taggedVideos(lake, window, start)) {
    const platform = PLATFORMS.indexOf(name);
    for (const text of list ? list.split(',') : []) {
      const key = Number(text);
      if (isInside === 1) count(key, platform, seen);
      if (isBefore === 1) before[key] = (before[key] as number) + 1;
    }
  }
  const row = (key: number): number[] => [
    key,
    window.before < window.from ? (before[key] as number) : Number.NaN,
    ...PLATFORMS.flatMap((_, platform) => {
      const at = WIDTH * key + platform;
      return [volumes[at] as number, known[at] === 1 ? (views[at] as number) : Number.NaN];
    }),
  ];
  return { all, row, tags: Uint32Array.from(tags.values()) };
};

/** Sum of two sums; null where nothing is known, or past what a count can state. */
const plus = (a: number | null, b: number | null): number | null => {
  const sum = (a ?? 0) + (b ?? 0);
  return (a === null && b === null) || !Number.isSafeInteger(sum) ? null : sum;
};

type Part = HashtagItem['platforms'][number];

const partsOf = (row: ArrayLike<number>): Part[] =>
  PLATFORMS.flatMap((platform, index) => {
    const volume = row[2 + 2 * index] as number;
    const views = knownOr(row[3 + 2 * index], null);
    return volume === 0 ? [] : [{ platform, volume, views: plus(views, null) }];
  });

const viewsOf = (parts: readonly Part[]): number | null =>
  parts.reduce<number | null>((sum, part) => plus(sum, part.views), null);

/**
 * Tags by the number of distinct videos seen with them in the window before `asOf` (Unix ms); equal ones
 * by the views of those videos, then by the order they were first seen in. The window before that
 * one is counted only where the lake watched both alike.
 */
export const rankHashtags = (
  lake: Lake,
  query: HashtagRankingQuery,
  asOf: number,
  start?: StartFrom,
): Ranking => {
  const { all, row, tags } = countsOf(lake, windowsFor(lake, query, asOf), start);
  const views = new Float64Array(all.length); // by key, as they are shown
  for (const key of tags) views[key] = viewsOf(partsOf(row(key))) ?? -1;
  const compare = (a: number, b: number): number =>
    (all[b] as number) - (all[a] as number) || (views[b] as number) - (views[a] as number) || a - b;
  return rankingOf(tags, compare, { width: HASHTAG_ROW, rowOf: row });
};

const TAG = 'select tag from hashtag where key = ?';

/** Rows of a ranking as items. */
export const hashtagItems = (lake: Lake, rows: Float64Array): HashtagItem[] =>
  Array.from({ length: rows.length / HASHTAG_ROW }, (_, index) => {
    const row = rows.subarray(HASHTAG_ROW * index, HASHTAG_ROW * (index + 1));
    const [key, before] = row;
    const platforms = partsOf(row);
    const volume = platforms.reduce((sum, part) => sum + (part.volume ?? 0), 0);
    return {
      tag: present(prepared(lake, TAG, 'text').get(key)),
      volume,
      views: viewsOf(platforms),
      change: before ? volume / before - 1 : null, // neither after 0 nor after what is not known
      platforms,
      sampled: true,
    };
  });
