import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { lastKnown, lastKnownAt } from '../read/last-known.ts';
import { prepared } from '../statements.ts';
import type { Movement } from './score.ts';
import type { Span, StartFrom } from './window-snapshots.ts';

// The videos of one platform seen in a window, each with its newest counts and the snapshot before.

const BEFORE = `select max(n.observed_at) from video_snapshot n
  where n.video_key = v.key and n.observed_at <= @from`;
const FIRST = `select min(n.observed_at) from video_snapshot n
  where n.video_key = v.key and n.observed_at > @from`;

const COLUMNS = `v.key, v.created_at, l.observed_at as last_at, l.views, l.likes,
    b.observed_at as base_at, b.views as base_views`;
const OF_PLATFORM = 'v.platform = @platform';

/** The timelines of `v` as of a span, each by itself. */
const BY_TIMELINE = `
    cross join video_snapshot l on l.video_key = v.key and l.observed_at =
      (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.observed_at <= @to)
    left join video_snapshot b on b.video_key = v.key
      and b.observed_at = coalesce((${BEFORE}), (${FIRST}))
    where ${OF_PLATFORM} and l.observed_at > @from`;

const MOVEMENTS: Readonly<Record<StartFrom, string>> = {
  snapshots: `
    with seen as materialized (
      select s.video_key as key, max(s.observed_at) as last_at, min(s.observed_at) as first_at
      from video_snapshot s indexed by video_snapshot_observed_at
      where s.observed_at > @from and s.observed_at <= @to group by s.video_key)
    select ${COLUMNS} from seen cross join video v on v.key = seen.key
    cross join video_snapshot l on l.video_key = v.key and l.observed_at = seen.last_at
    left join video_snapshot b on b.video_key = v.key
      and b.observed_at = coalesce((${BEFORE}), seen.first_at)
    where ${OF_PLATFORM}`,
  videos: `select ${COLUMNS} from video v not indexed ${BY_TIMELINE}`,
};

/** Of the videos @keys alone. */
const SOME_MOVEMENTS = `
  select ${COLUMNS} from json_each(@keys) k cross join video v on v.key = k.value ${BY_TIMELINE}`;

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

type Row = [
  key: number,
  createdAt: number | null,
  lastAt: number,
  views: number | null,
  likes: number | null,
  baseAt: number | null,
  baseViews: number | null,
];

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

const ROW = ['number', 'number?', 'number', 'number?', 'number?', 'number?', 'number?'] as const;

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
  const rows = prepared<Row>(lake, MOVEMENTS[start], ROW).iterate({ platform, ...span });
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
  for (const row of prepared<Row>(lake, SOME_MOVEMENTS, ROW).iterate(wanted))
    yield movementOf(lake, row, span);
}
