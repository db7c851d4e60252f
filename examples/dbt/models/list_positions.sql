-- Every place of every pulled list, with the video that stood there. See dbt_project.yml for what was tried.
select
    r.list,
    r.platform,
    r.period,
    r.captured_at,
    r.rank,
    r.velocity,
    v.id as video_id,
    v.user,
    v.title
from {{ source('trendlake', 'rankings') }} as r
inner join {{ source('trendlake', 'videos') }} as v on v.id = r.video_id
