-- trendlake in Tableau, by the DuckDB connector (JDBC): "Initial SQL" of a connection to an in-memory
-- DuckDB. Then drag the views below onto the canvas. Put your folder in place of /srv/trendlake/data/parquet.
--
-- Tried: every statement, by test/examples on DuckDB 1.5. Not tried: Tableau itself, which does not run here.

set timezone = 'UTC';

create or replace view videos as select * from read_parquet('/srv/trendlake/data/parquet/videos/*.parquet');
create or replace view video_snapshots as select * from read_parquet('/srv/trendlake/data/parquet/video_snapshots/*/*.parquet', hive_partitioning = true);
create or replace view rankings as select * from read_parquet('/srv/trendlake/data/parquet/rankings/*/*.parquet', hive_partitioning = true);
create or replace view hashtag_snapshots as select * from read_parquet('/srv/trendlake/data/parquet/hashtag_snapshots/*/*.parquet', hive_partitioning = true);

-- How each video grew: one row for each snapshot, with what was gained since the one before.
create or replace view growth as
select v.id, v.platform, v.user, v.title, s.observed_at, s.views, s.likes,
  s.views - lag(s.views) over (partition by s.video_id order by s.observed_at) as views_gained
from video_snapshots s join videos v on v.id = s.video_id;

-- Every list that was pulled, with its videos.
create or replace view lists as
select r.list, r.platform, r.period, r.captured_at, r.rank, r.velocity, v.id, v.user, v.title, v.views
from rankings r join videos v on v.id = r.video_id;
