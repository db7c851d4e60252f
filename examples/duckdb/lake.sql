-- trendlake in DuckDB: a view for each exported table.
--
--   duckdb -cmd "set variable lake = '/srv/trendlake/data/parquet'" -init lake.sql
--
-- Without the variable it reads data/parquet beside you. New days appear by themselves: the views read
-- whatever files are there. `date` is the UTC day of a file; a filter on it reads those days alone.
-- Tried: every statement, by test/examples on DuckDB 1.5. Not tried: the command-line shell above.

set variable lake = coalesce(getvariable('lake'), 'data/parquet');
set timezone = 'UTC';

create or replace view videos as select * from read_parquet(getvariable('lake') || '/videos/*.parquet');
create or replace view video_hashtags as select * from read_parquet(getvariable('lake') || '/video_hashtags/*.parquet');
create or replace view creators as select * from read_parquet(getvariable('lake') || '/creators/*.parquet');
create or replace view hashtags as select * from read_parquet(getvariable('lake') || '/hashtags/*.parquet');
create or replace view video_snapshots as select * from read_parquet(getvariable('lake') || '/video_snapshots/*/*.parquet', hive_partitioning = true);
create or replace view rankings as select * from read_parquet(getvariable('lake') || '/rankings/*/*.parquet', hive_partitioning = true);
create or replace view hashtag_snapshots as select * from read_parquet(getvariable('lake') || '/hashtag_snapshots/*/*.parquet', hive_partitioning = true);
create or replace view creator_snapshots as select * from read_parquet(getvariable('lake') || '/creator_snapshots/*/*.parquet', hive_partitioning = true);
create or replace view forecasts as select * from read_parquet(getvariable('lake') || '/forecasts/*/*.parquet', hive_partitioning = true);
create or replace view hashtag_forecasts as select * from read_parquet(getvariable('lake') || '/hashtag_forecasts/*/*.parquet', hive_partitioning = true);
create or replace view events as select * from read_parquet(getvariable('lake') || '/events/*/*.parquet', hive_partitioning = true);
