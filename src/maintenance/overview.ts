import { DAY_MS } from '../durations.ts';
import { rowsOf } from '../history/volumes.ts';
import type { Lake } from '../lake/open.ts';

const RISING_DAYS = 3;

/** What a lake holds, at a glance. Instants are Unix ms. */
export interface Overview {
  /** Rows of each public table that holds any. */
  readonly tables: Record<string, number>;
  /** The first of each platform's feed as last pulled. */
  readonly top: { platform: string; user: string | null; title: string | null; views: number }[];
  /** The video that gained most over at least four looks. */
  readonly growth: GrownVideo | undefined;
  /** Hashtags that most more videos of the last three days carry than of the three before. */
  readonly rising: { tag: string; before: number; now: number }[];
  /** The latest events. */
  readonly noticed: { kind: string; subject: string; occurredAt: number }[];
}

export interface GrownVideo {
  readonly id: string;
  readonly title: string | null;
  readonly user: string | null;
  readonly points: { at: number; views: number }[];
}

const TABLES = [
  'videos',
  'video_snapshots',
  'rankings',
  'hashtags',
  'hashtag_snapshots',
  'video_hashtags',
  'creators',
  'creator_snapshots',
  'events',
  'calls',
] as const;

const TOP = `
  select platform, user, title, views from feed_now where rank = 1 and views is not null`;

const MOST_GROWN = `
  select s.video_key as key, v.id, v.title, v.user from video_snapshot s join video v on v.key = s.video_key
  group by s.video_key having count(s.views) >= 4
  order by max(s.views) - min(s.views) desc limit 1`;

const POINTS = `
  select observed_at as at, views from video_snapshot
  where video_key = ? and views is not null order by observed_at`;

// young videos only: volumes over a month move too slowly to show what rises
const RISING = `
  with newest as (select max(captured_at) as at from capture),
  used as (
    select vh.hashtag_key as key, v.created_at > n.at - ${RISING_DAYS * DAY_MS} as late, count(*) as videos
    from newest n join video v on v.created_at > n.at - ${2 * RISING_DAYS * DAY_MS} and v.created_at <= n.at
    join video_hashtag vh on vh.video_key = v.key group by 1, 2
  ),
  compared as (
    select key, sum(videos) filter (where not late) as before, sum(videos) filter (where late) as now
    from used group by 1
  )
  select h.tag, coalesce(c.before, 0) as before, c.now from compared c join hashtag h on h.key = c.key
  where c.now >= 5 and c.now > coalesce(c.before, 0)
  order by (c.now + 2.0) / (coalesce(c.before, 0) + 2.0) desc, c.now desc, h.tag limit ?`;

const NOTICED = `
  select kind, subject, occurred_at as occurredAt from events order by occurred_at desc, id limit ?`;

/** Looks at a lake as a newcomer would: how much, what leads, what grew, what rises. */
export const overview = ({ sqlite }: Lake): Overview => {
  const tables: Record<string, number> = {};
  for (const table of TABLES) {
    const rows = rowsOf({ sqlite }, table);
    if (rows > 0) tables[table] = rows;
  }
  const grown = sqlite.prepare(MOST_GROWN).get() as
    | { key: number; id: string; title: string | null; user: string | null }
    | undefined;
  const growth =
    grown === undefined
      ? undefined
      : {
          id: grown.id,
          title: grown.title,
          user: grown.user,
          points: sqlite.prepare(POINTS).all(grown.key) as GrownVideo['points'],
        };
  return {
    tables,
    top: sqlite.prepare(TOP).all() as Overview['top'],
    growth,
    rising: sqlite.prepare(RISING).all(3) as Overview['rising'],
    noticed: sqlite.prepare(NOTICED).all(5) as Overview['noticed'],
  };
};
