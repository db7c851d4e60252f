-- One row for each video and UTC day it was observed on: the last known counts of that day, and what was
-- gained since the day before it that has one. See dbt_project.yml for what was tried.
with days as (
    select
        video_id,
        date,
        max_by(views, observed_at) as views,
        max_by(likes, observed_at) as likes,
        count(*) as snapshots
    from {{ source('trendlake', 'video_snapshots') }}
    group by video_id, date
)

select
    d.video_id,
    v.platform,
    v.user,
    d.date,
    d.views,
    d.likes,
    d.views - lag(d.views) over (partition by d.video_id order by d.date) as views_gained,
    d.snapshots
from days as d
inner join {{ source('trendlake', 'videos') }} as v on v.id = d.video_id
