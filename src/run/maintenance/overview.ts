import { sourceCode } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { lastEvents } from '../../lake/read/subject-name.ts';
import { COUNTED_TABLES, rowsOf } from '../../lake/read/volumes.ts';

const TOP = `
  select platform, user, title, views from feed_now where rank = 1 and views is not null`;

const MOST_GROWN = `
  select v.id, v.title, v.user from video_snapshot s join video v on v.key = s.video_key
  group by s.video_key having count(s.views) >= 4
  order by max(s.views) - min(s.views) desc, v.id limit 1`;

const POINTS = `
  select observed_at as at, views from video_snapshot
  where video_key = (select key from video where id = ?) and views is not null order by observed_at`;

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
  order by (s.volume + 2.0) / (s.volume / (1 + s.change) + 2.0) desc, s.volume desc, h.tag limit 3`;

/** Summary of a lake. Instants are Unix ms. */
export const overview = (lake: Lake) => {
  const { sqlite } = lake;
  const rows = COUNTED_TABLES.map((table) => [table, rowsOf(lake, table)] as const);
  const grown = prepare(sqlite, MOST_GROWN, {
    id: 'text',
    title: 'text?',
    user: 'text?',
  }).get();
  const points = prepare(sqlite, POINTS, { at: 'number', views: 'number' });
  return {
    /** Rows of each public table that is not empty. */
    tables: Object.fromEntries(rows.filter(([, count]) => count > 0)),
    /** The top video of each platform's newest feed. */
    top: prepare(sqlite, TOP, {
      platform: 'text',
      user: 'text?',
      title: 'text?',
      views: 'number',
    }).all(),
    /** The video with the largest gain, of those with at least four snapshots. */
    growth: grown && { ...grown, points: points.all(grown.id) },
    /** Hashtags that rose most in the newest pulled list, with volumes of its window and the one before. */
    rising: prepare(sqlite, RISING, {
      tag: 'text',
      before: 'number',
      now: 'number',
      window: 'text',
    }).all(),
    noticed: lastEvents(lake),
  };
};

export type Overview = ReturnType<typeof overview>;
