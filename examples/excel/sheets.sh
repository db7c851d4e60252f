#!/bin/sh
# CSV files for Excel and other spreadsheets, one for each sheet:
#
#   sh sheets.sh FOLDER
#
# --csv-safe puts text that a spreadsheet would run as a formula behind an apostrophe: titles and names
# come from strangers. Excel reads UTF-8 by Data > From Text/CSV, which keeps long ids whole: choose
# "Text" for the column `id`.
#
# Tried: run as it stands by test/examples. Not tried: Excel itself, which does not run here.
set -eu
folder=${1:?usage: sh sheets.sh FOLDER}
mkdir -p "$folder"

trendlake query --csv-safe "
  select f.platform, f.rank, f.id, f.user, f.title, f.views, f.likes, v.engagement_rate_shown,
    f.velocity, f.created_at
  from feed_now f join videos v on v.id = f.id order by f.platform, f.rank" > "$folder/feed.csv"

trendlake query --csv-safe "
  select tag, platform, \"window\", source, volume, volume_before, change
  from hashtag_trend order by platform, volume desc limit 10000" > "$folder/hashtags.csv"

trendlake query --csv-safe "
  select date, platform, videos_seen, videos_new, snapshots, lists, events
  from daily_summary order by date desc, platform" > "$folder/days.csv"
