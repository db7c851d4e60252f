import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { type RowOf, required } from '../prepare.ts';
import { lastKnown, lastKnownAt } from '../read/as-of-sql.ts';
import { prepared } from '../statements.ts';
import type { Movement } from './score.ts';
import { SEEN, type Span, type StartFrom, seenAmong } from './window-snapshots.ts';

// The videos of one platform seen in a window, each with its newest counts and the snapshot before.

/** SQL of the movements of videos that `seen` (SQL) finds in the span from @from to @to. */
const movementsIn = (seen: string): string => `
  select v.key, v.created_at, l.observed_at, l.views, l.likes, b.observed_at, b.views
  from (${seen}) seen cross join video v on v.key = seen.key
  cross join video_snapshot l on l.video_key = seen.key and l.observed_at = seen.last_at
  left join video_snapshot b on b.video_key = seen.key and b.observed_at = coalesce(
    (select max(n.observed_at) from video_snapshot n
      where n.video_key = seen.key and n.observed_at <= @from), seen.first_at)
  where v.platform = @platform`;

const MOVEMENTS = {
  snapshots: movementsIn(SEEN.snapshots),
  videos: movementsIn(SEEN.videos),
} as const;
/** Of the videos @keys alone. */
const SOME_MOVEMENTS = movementsIn(seenAmong('(select value as key from json_each(@keys)) o'));

const KNOWN_TO = { video: '@key', at: '@to' };
/** A video with a hidden count in its last two snapshots: the snapshots with a count. */
const TELLING = `
  select n.observed_at as viewsAt, n.views, b.observed_at as baseAt, b.views as baseViews,
    ${lastKnown('likes', KNOWN_TO)} as likes
  from (select ${lastKnownAt('views', KNOWN_TO)} as at)
  left join video_snapshot n on n.video_key = @key and n.observed_at = at
  left join video_snapshot b on b.video_key = @key and b.observed_at <= at and b.observed_at = coalesce(
    ${lastKnownAt('views', { video: '@key', at: '@from' })},
    (select min(f.observed_at) from video_snapshot f
      where f.video_key = @key and f.observed_at > @from and f.views is not null))`;

const ROW = ['number', 'number?', 'number', 'number?', 'number?', 'number?', 'number?'] as const;
type Row = RowOf<typeof ROW>;

/** A movement by its telling snapshots, where one of those at the edges hides a count. */
const fromTelling = (lake: Lake, [key, createdAt]: Row, { from, to }: Span): Movement => {
  const known = required(
    prepared(lake, TELLING, {
      viewsAt: 'number?',
      views: 'number?',
      baseAt: 'number?',
      baseViews: 'number?',
      likes: 'number?',
    }).get({ key, from, to }),
  );
  const base = known.baseAt === known.viewsAt ? { baseViews: null, baseAt: null } : {};
  return { key, createdAt, ...known, ...base };
};

const movementOf = (lake: Lake, row: Row, span: Span): Movement => {
  const [key, createdAt, lastAt, views, likes, baseAt, baseViews] = row;
  const single = baseAt === null || baseAt === lastAt; // no earlier snapshot has the hidden count
  if (!single && (views === null || baseViews === null)) return fromTelling(lake, row, span);
  return {
    key,
    views,
    viewsAt: views === null ? null : lastAt,
    baseViews: single ? null : baseViews,
    baseAt: single ? null : baseAt,
    likes,
    createdAt,
  };
};

/**
 * Movement of each video of a platform seen inside a span, in any order, one at a time. The gain
 * starts at the last snapshot at or before `from`, else at the first one inside the span.
 */
export function* movements(
  lake: Lake,
  platform: Platform,
  span: Span,
  start: StartFrom,
): Generator<Movement> {
  const rows = prepared(lake, MOVEMENTS[start], ROW).iterate({ platform, ...span });
  for (const row of rows) yield movementOf(lake, row, span);
}

/** `movements` of those videos among `keys` that are the platform's and were seen inside the span. */
export function* movementsOf(
  lake: Lake,
  platform: Platform,
  span: Span,
  keys: readonly number[],
): Generator<Movement> {
  const wanted = { keys: JSON.stringify(keys), platform, ...span };
  for (const row of prepared(lake, SOME_MOVEMENTS, ROW).iterate(wanted))
    yield movementOf(lake, row, span);
}
