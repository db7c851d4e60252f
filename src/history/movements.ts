import type { Platform } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { statement } from '../lake/statements.ts';
import type { Movement } from './score.ts';
import type { Span, StartFrom } from './window-looks.ts';

// The videos of one platform seen in a window, each with its newest counts and the look before.

const BEFORE = `select max(n.observed_at) from video_snapshot n
  where n.video_key = v.key and n.observed_at <= @from`;
const FIRST = `select min(n.observed_at) from video_snapshot n
  where n.video_key = v.key and n.observed_at > @from`;

const COLUMNS = `v.key, v.created_at, l.observed_at as last_at, l.views, l.likes,
    b.observed_at as base_at, b.views as base_views`;

const MOVEMENTS: Readonly<Record<StartFrom, string>> = {
  looks: `
    with seen as materialized (
      select s.video_key as key, max(s.observed_at) as last_at, min(s.observed_at) as first_at
      from video_snapshot s indexed by video_snapshot_observed_at
      where s.observed_at > @from and s.observed_at <= @to group by s.video_key)
    select ${COLUMNS} from seen cross join video v on v.key = seen.key
    cross join video_snapshot l on l.video_key = v.key and l.observed_at = seen.last_at
    left join video_snapshot b on b.video_key = v.key
      and b.observed_at = coalesce((${BEFORE}), seen.first_at)
    where v.platform = @platform`,
  videos: `
    select ${COLUMNS} from video v not indexed
    cross join video_snapshot l on l.video_key = v.key and l.observed_at =
      (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.observed_at <= @to)
    left join video_snapshot b on b.video_key = v.key
      and b.observed_at = coalesce((${BEFORE}), (${FIRST}))
    where v.platform = @platform and l.observed_at > @from`,
};

/** All looks of one video with known views or likes, newest first. */
const LOOKS = `select observed_at, views, likes from video_snapshot
  where video_key = ? and observed_at <= ? order by observed_at desc`;

type Row = [
  key: number,
  createdAt: number | null,
  lastAt: number,
  views: number | null,
  likes: number | null,
  baseAt: number | null,
  baseViews: number | null,
];

interface Look {
  readonly observed_at: number;
  readonly views: number | null;
  readonly likes: number | null;
}

/** The same for a video whose first or last look hides a count: its newest and base known ones. */
const fromLooks = (lake: Lake, row: Row, { from, to }: Span): Movement => {
  const [key, createdAt] = row;
  const looks = statement(lake, LOOKS).all(key, to) as Look[];
  const withViews = looks.filter((look) => look.views !== null);
  const newest = withViews[0];
  const inside = withViews.filter((look) => look.observed_at > from);
  const base = withViews.find((look) => look.observed_at <= from) ?? inside.at(-1);
  return {
    key,
    views: newest?.views ?? null,
    viewsAt: newest?.observed_at ?? null,
    baseViews: base === newest ? null : (base?.views ?? null),
    baseAt: base === newest ? null : (base?.observed_at ?? null),
    likes: looks.find((look) => look.likes !== null)?.likes ?? null,
    createdAt,
  };
};

const movementOf = (lake: Lake, row: Row, span: Span): Movement => {
  const [key, createdAt, lastAt, views, likes, baseAt, baseViews] = row;
  const single = baseAt === null || baseAt === lastAt;
  if (views === null || (!single && baseViews === null)) return fromLooks(lake, row, span);
  return {
    key,
    views,
    viewsAt: lastAt,
    baseViews: single ? null : baseViews,
    baseAt: single ? null : baseAt,
    likes,
    createdAt,
  };
};

/**
 * How each video of a platform seen inside a span moved, in any order, one at a time. The gain is
 * counted from the last look at or before `from`, else from the first inside the span.
 */
export function* movements(
  lake: Lake,
  platform: Platform,
  span: Span,
  start: StartFrom,
): Generator<Movement> {
  const rows = statement(lake, MOVEMENTS[start])
    .raw()
    .iterate({ platform, ...span });
  for (const row of rows as IterableIterator<Row>) yield movementOf(lake, row, span);
}
