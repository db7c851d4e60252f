-- Questions for Metabase over trendlake.db (SQLite): "New > SQL query", one question each.
-- Times of the views are ISO 8601 text in UTC, which Metabase reads as dates. `[[ ... ]]` is left out
-- where its variable is empty.
--
-- Tried: every statement over a small lake, its variables filled and left empty, by test/examples.
-- Not tried: Metabase itself, which does not run here.

-- Feed now
select rank, platform, user, title, views, velocity
from feed_now
where 1 = 1 [[and platform = {{platform}}]]
order by platform, rank
limit 200;

-- What the lake saw, day by day
select date, platform, videos_seen, videos_new, snapshots, events
from daily_summary
order by date, platform;

-- How a video grew
select observed_at, views, views_gained / nullif(hours_since, 0) as views_per_hour
from video_history
where id = {{video}}
order by observed_at;

-- Hashtags that rise
select tag, platform, volume_before, volume, round(100 * change, 1) as change_percent
from hashtag_trend
where change is not null and volume >= 100 [[and platform = {{platform}}]]
order by change desc
limit 50;

-- Creators that rise
select platform, handle, followers_before, followers, round(gained_per_day, 1) as gained_per_day
from creators_rising
order by gained_per_day desc
limit 50;

-- How long videos stay in the lists
select list, platform, period, count(*) as videos, round(avg(hours), 1) as hours_on_average, min(best_rank) as best_rank
from list_stays
group by list, platform, period
order by list, platform, period;

-- What was noticed
select occurred_at, kind, platform, subject
from events_recent
limit 100;
