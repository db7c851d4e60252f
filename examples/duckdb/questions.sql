-- Questions of analysts, for the views of lake.sql.
--
--   duckdb -init lake.sql < questions.sql
--
-- Null means not known, never 0. A video's counts are known at its snapshots alone: between two of them
-- nothing is.
-- Tried: every statement, by test/examples on DuckDB 1.5. Not tried: the command-line shell above.

-- Who gained most views in the last day that the lake knows of? From the newest snapshot of each video
-- back to the one a day before it, or the next older one of the two days before that.
with newest as (
  select video_id, max(observed_at) as at, max_by(views, observed_at) as views
  from video_snapshots group by video_id
)
select v.platform, v.user, v.title, n.views - s.views as gained, n.views, n.at - s.observed_at as within
from newest n
asof join video_snapshots s on s.video_id = n.video_id and s.observed_at <= n.at - interval 1 day
join videos v on v.id = n.video_id
where n.at > (select max(observed_at) from video_snapshots) - interval 1 day
  and s.observed_at > n.at - interval 3 days and n.views > s.views
order by gained desc
limit 20;

-- How did the top of TikTok's feed stand, pull by pull?
select r.captured_at, r.rank, v.user, v.title, r.velocity
from rankings r join videos v on v.id = r.video_id
where r.list = 'feed' and r.platform = 'tiktok' and r.rank <= 3
order by r.captured_at desc, r.rank
limit 60;

-- Views of each video at every full hour, where a snapshot of the 6 hours before it tells.
with hours as (
  select video_id, unnest(generate_series(date_trunc('hour', min(observed_at)) + interval 1 hour, max(observed_at), interval 1 hour)) as hour
  from video_snapshots group by video_id
)
select h.video_id, h.hour, s.views
from hours h asof join video_snapshots s on s.video_id = h.video_id and s.observed_at <= h.hour
where h.hour - s.observed_at <= interval 6 hours
order by 1, 2
limit 1000;

-- Which hashtags grew most over a week? Figures of the service alone; totals apart from their parts.
with newest as (
  select tag, platform, "window", max_by(volume, observed_at) as volume, max(observed_at) as at
  from hashtag_snapshots where source = 'hashtags' group by all
)
select n.platform, n.tag, b.volume as before, n.volume as now, n.volume / b.volume - 1 as change
from newest n
asof join (select * from hashtag_snapshots where source = 'hashtags') b
  on b.tag = n.tag and b.platform = n.platform and b."window" = n."window" and b.observed_at <= n.at - interval 7 days
where b.volume > 0
order by change desc
limit 20;

-- Who gains followers?
select platform, handle, min_by(followers, observed_at) as before, max_by(followers, observed_at) as now
from creator_snapshots
where followers is not null
group by all
having now > before
order by now - before desc
limit 20;

-- What was noticed, day by day?
select date, kind, count(*) as events from events group by all order by date desc, kind;

-- How wide were the forecasts of what comes within a day?
select date, count(*) as forecasts, median((views_high - views_low) / nullif(views_median, 0)) as spread
from forecasts where horizon_hours = 24 and views_median is not null
group by date order by date desc;
