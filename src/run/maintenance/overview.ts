import { sourceCode } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { type BriefEvent, lastEvents } from '../../lake/read/subject-name.ts';
import { rowsOf } from '../../lake/read/volumes.ts';

/** Summary of a lake. Instants are Unix ms. */
export interface Overview {
  /** Rows of each public table that is not empty. */
  readonly tables: Record<string, number>;
  /** The top video of each platform's newest feed. */
  readonly top: { platform: string; user: string | null; title: string | null; views: number }[];
  /** The video with the largest gain, of those with at least four snapshots. */
  readonly growth: GrownVideo | undefined;
  /** Hashtags that rose most in the newest pulled list, with volumes of its window and the one before. */
  readonly rising: { tag: string; before: number; now: number; window: string }[];
  readonly noticed: BriefEvent[];
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
  order by max(s.views) - min(s.views) desc, v.id limit 1`;

const POINTS = `
  select observed_at as at, views from video_snapshot
  where video_key = ? and views is not null order by observed_at`;

// by the change that the service stated: its windows are comparable
const RISING = `
  with newest as (
    select captured_at, completed_at, period from capture
    where list = 'hashtags' and platform = '' and completed_at is not null
    order by captured_at desc limit 1
  )
  select h.tag, round(s.volume / (1 + s.change)) as before, s.volume as now, n.period as window
  from newest n join hashtag_snapshot s on s.observed_at between n.captured_at and n.completed_at
    and s.platform = '' and coalesce(s.window, n.period) = n.period
  join hashtag h on h.key = s.hashtag_key
  where s.volume >= 5 and s.change > 0 and s.source <> ${sourceCode('seen')}
  order by (s.volume + 2.0) / (s.volume / (1 + s.change) + 2.0) desc, s.volume desc, h.tag limit ?`;

export const overview = (lake: Lake): Overview => {
  const { sqlite } = lake;
  const tables: Record<string, number> = {};
  for (const table of TABLES) {
    const rows = rowsOf({ sqlite }, table);
    if (rows > 0) tables[table] = rows;
  }
  const grown = prepare(sqlite, MOST_GROWN, {
    key: 'number',
    id: 'text',
    title: 'text?',
    user: 'text?',
  }).get();
  const growth =
    grown === undefined
      ? undefined
      : {
          id: grown.id,
          title: grown.title,
          user: grown.user,
          points: prepare(sqlite, POINTS, { at: 'number', views: 'number' }).all(grown.key),
        };
  return {
    tables,
    top: prepare(sqlite, TOP, {
      platform: 'text',
      user: 'text?',
      title: 'text?',
      views: 'number',
    }).all(),
    growth,
    rising: prepare(sqlite, RISING, {
      tag: 'text',
      before: 'number',
      now: 'number',
      window: 'text',
    }).all(3),
    noticed: lastEvents(lake),
  };
};
