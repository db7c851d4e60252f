import type Database from 'better-sqlite3';
import { prepare } from '../prepare.ts';
import { knownBy } from '../read/known-by.ts';
import { lastKnown } from '../read/last-known.ts';

/** Value of a video's column before the first revision after `at`, else the current one. */
const wordsThen = (column: 'title' | 'user', at: string): string =>
  `case when exists (select 1 from main.video_revision n where n.video_key = v.key and n.until_at > ${at})
    then (select n.${column} from main.video_revision n where n.video_key = v.key and n.until_at > ${at}
      order by n.until_at limit 1)
    else v.${column} end as ${column}`;

const AS_JSON = `case j.type when 'object' then json(j.value) when 'array' then json(j.value)
  when 'true' then json('true') when 'false' then json('false') when 'null' then json('null')
  else json_quote(j.value) end`;

/** Further fields of a video: the current ones, with earlier values of those that changed after `at`. */
const extraThen = (at: string): string => {
  const changes = `from main.extra_revision e, json_each(e.fields) c
    where e.video_key = v.key and e.until_at > ${at}`;
  return `case when not exists (select 1 from main.extra_revision e where e.video_key = v.key and e.until_at > ${at})
    then v.extra
    else (select case when count(*) > 0 then json_group_object(name, json(was)) end from (
      select j.key as name, ${AS_JSON} as was from json_each(v.extra) j
        where j.key not in (select c.key ${changes})
      union all
      select name, was from (
        select c.key as name, c.value -> '$[0]' as was, json_array_length(c.value) as known,
          row_number() over (partition by c.key order by e.until_at) as nth ${changes})
        where nth = 1 and known > 0)) end as extra`;
};

const creatorThen = (column: 'engagement_rate' | 'extra', at: string): string =>
  `case when exists (select 1 from main.creator_revision n where n.creator_key = c.key and n.until_at > ${at})
    then (select n.${column} from main.creator_revision n where n.creator_key = c.key and n.until_at > ${at}
      order by n.until_at limit 1)
    else c.${column} end as ${column}`;

const creatorCount = (count: string, at: string): string =>
  `(select s.${count} from main.creator_snapshot s where s.creator_key = c.key and s.observed_at <= ${at}
    and s.${count} is not null order by s.observed_at desc limit 1) as ${count}`;

const lastRate = (at: string): string =>
  `(select coalesce(s.engagement_rate, 100.0 * s.likes / nullif(s.views, 0)) from main.video_snapshot s
    where s.video_key = v.key and s.observed_at <= ${at}
      and coalesce(s.engagement_rate, 100.0 * s.likes / nullif(s.views, 0)) is not null
    order by s.observed_at desc limit 1) as engagement_rate`;

/** Column of the instant at which a row became known, for tables whose rows never change. */
const KNOWN_AT: Readonly<Record<string, string>> = {
  analyses: 'generated_at',
  creator_revision: 'until_at',
  creator_snapshot: 'observed_at',
  deliveries: 'queued_at',
  drift: 'first_seen_at',
  events: 'detected_at',
  extra_revision: 'until_at',
  hashtag_snapshot: 'observed_at',
  models: 'learnt_at',
  rejected_items: 'seen_at',
  responses: 'observed_at',
  search_hit: 'captured_at',
  slots: 'claimed_at',
  subscriptions: 'created_at',
  video_revision: 'until_at',
  video_snapshot: 'observed_at',
  watches: 'created_at',
};

/** Tables of facts as they were known at an instant, by table. Every other table is as it is now. */
const tablesAsOf = (at: string): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(KNOWN_AT).map(([table, column]) => [
      table,
      `select * from main.${table} where ${column} <= ${at}`,
    ]),
  ),
  video: `select v.key, v.id, v.platform, ${wordsThen('title', at)}, ${wordsThen('user', at)},
    ${lastKnown('views', { video: 'v.key', at })} as views, ${lastKnown('likes', { video: 'v.key', at })} as likes,
    ${lastRate(at)}, v.created_at, v.first_seen_at, ${extraThen(at)}, v.collected_at
    from main.video v where ${knownBy('v', at)}`,
  video_hashtag: `select vh.video_key, vh.hashtag_key, vh.position from main.video_hashtag vh
      where vh.video_key not in (select video_key from main.video_revision where until_at > ${at})
        and vh.video_key not in (select key from main.video where first_seen_at > ${at})
    union all
    select r.video_key, t.value, t.key from main.video_revision r
      join json_each('[' || coalesce(r.tags, '') || ']') t
      where r.until_at > ${at} and r.until_at = (select min(n.until_at) from main.video_revision n
        where n.video_key = r.video_key and n.until_at > ${at})
        and r.video_key not in (select key from main.video where first_seen_at > ${at})`,
  hashtag: `select * from main.hashtag where first_seen_at is null or first_seen_at <= ${at}`,
  creator: `select c.key, c.platform, c.handle, ${creatorCount('followers', at)}, ${creatorCount('video_count', at)},
    ${creatorCount('views', at)}, ${creatorCount('likes', at)}, ${creatorThen('engagement_rate', at)},
    c.first_seen_at, ${creatorThen('extra', at)} from main.creator c where c.first_seen_at <= ${at}`,
  capture: `select key, list, platform, period, captured_at,
    case when completed_at <= ${at} then completed_at end as completed_at, total, run_id
    from main.capture where captured_at <= ${at}`,
  ranking: `select * from main.ranking
    where capture_key in (select key from main.capture where captured_at <= ${at})`,
  forecast: `select * from main.forecast where made_at <= ${at}
    and model_id in (select id from main.models where learnt_at <= ${at})`,
  hashtag_forecast: `select * from main.hashtag_forecast where made_at <= ${at}
    and model_id in (select id from main.models where learnt_at <= ${at})`,
  calls: `select id, run_id, job, request, sent_at, case when finished_at <= ${at} then finished_at end as finished_at,
    case when finished_at <= ${at} then status end as status, case when finished_at <= ${at} then error end as error,
    sender, case when finished_at <= ${at} then rows_changed end as rows_changed, counted_at, boot, sent_mono,
    free_mono, sent, key, case when finished_at <= ${at} then new_videos end as new_videos
    from main.calls where sent_at <= ${at}`,
  runs: `select id, started_at, case when finished_at <= ${at} then finished_at end as finished_at,
    case when finished_at <= ${at} then outcome else 'running' end as outcome, heartbeat_at, resumes_at, jobs,
    case when finished_at <= ${at} then summary end as summary from main.runs where started_at <= ${at}`,
  run_items: `select * from main.run_items where run_id in (select id from main.runs where started_at <= ${at})`,
  watch_tags: `select * from main.watch_tags where watch_id in (select id from main.watches where created_at <= ${at})`,
});

/**
 * Makes the connection show the lake as it was known at an instant: temporary views hide the tables,
 * and every public view is made again over them. Needs no write to the lake and ends with the connection.
 * @param at Unix ms
 */
export const showLakeAsOf = (sqlite: Database.Database, at: number): void => {
  const views = prepare(
    sqlite,
    "select name, sql from main.sqlite_schema where type = 'view' order by rowid",
    ['text', 'text'],
  ).all();
  const make = (name: string, select: string): void => {
    sqlite.exec(`create temp view "${name}" as ${select}`);
  };
  sqlite.pragma('query_only = OFF'); // temporary objects only: the file is open for reading
  for (const [table, select] of Object.entries(tablesAsOf(String(Math.trunc(at)))))
    make(table, select);
  for (const [name, definition] of views)
    make(name, definition.replace(/^create view\s+\S+\s+as\s+/i, ''));
  sqlite.pragma('query_only = ON');
};
