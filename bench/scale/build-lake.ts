import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/lake/search/search-index.ts';

/** The instant these lakes end at. */
export const END_AT = Date.UTC(2026, 10, 1);
const SPAN_MS = 180 * DAY_MS;
const SNAPSHOTS_A_VIDEO = 10;
const TAGS = 20_000;
const LISTED = 200;

const PLATFORM_NAMES = ['tiktok', 'instagram', 'youtube'] as const;

/** Id of the video with a key. */
export const idOf = (key: number): string =>
  `${['tt', 'ig', 'yt'][key % 3]}_7${String(key).padStart(15, '0')}`;

/** Videos of a lake of so many snapshots. */
export const videosOf = (snapshots: number): number => Math.ceil(snapshots / SNAPSHOTS_A_VIDEO);

const creatorsOf = (videos: number): number => 1 + Math.floor(videos / 5);

/**
 * Words of a video as written by `VIDEOS` and `LINKS`, in the form of a page; `videos`: in the lake
 * as built.
 */
export const wordsOf = (key: number, videos: number) => ({
  id: idOf(key),
  platform: PLATFORM_NAMES[key % 3],
  title: `clip ${key} of ${(key * 7919) % 4999} things #tag${key % 100}`,
  user: `user${(key * 7919) % creatorsOf(videos)}`,
  createdAt: new Date(END_AT - SPAN_MS + key * Math.floor(SPAN_MS / videos)).toISOString(),
  hashtags: [0, 1, 2].map((p) => `tag${1 + (((key * 31 + p * 7919) * (p * p + 1)) % TAGS)}`),
});

const VIDEOS = `
  with recursive n (i) as (select 1 union all select i + 1 from n where i < @videos)
  insert into video (key, id, platform, title, user, views, likes, created_at, first_seen_at)
  select i, case i % 3 when 0 then 'tt' when 1 then 'ig' else 'yt' end || '_7' || printf('%015d', i),
    case i % 3 when 0 then 'tiktok' when 1 then 'instagram' else 'youtube' end,
    'clip ' || i || ' of ' || (i * 7919 % 4999) || ' things #tag' || (i % 100),
    'user' || (i * 7919 % cast(@creators as integer)), 1000 + i * 7919 % 1000003, 50 + i * 7919 % 1000003 / 20,
    @from + i * cast(@span / @videos as integer), @from + i * cast(@span / @videos as integer) + ${HOUR_MS}
  from n`;

/** Of each video one more: 0, 6, 18, 36 hours after it was first seen, and so on. */
const SNAPSHOTS = `
  insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source)
  select v.key, v.first_seen_at + s.value * (s.value + 1) * ${3 * HOUR_MS},
    v.views * (s.value + 1) / (s.value + 2), v.likes * (s.value + 1) / (s.value + 2), 1, 0
  from video v cross join json_each(@nth) s
  where v.first_seen_at + s.value * (s.value + 1) * ${3 * HOUR_MS} <= @end`;

const LINKS = `
  insert or ignore into video_hashtag (video_key, hashtag_key, position)
  select v.key, 1 + ((v.key * 31 + p.value * 7919) * (p.value * p.value + 1)) % ${TAGS}, p.value
  from video v cross join json_each('[0, 1, 2]') p`;

/** Runs `fill` without indices and triggers of its tables, and makes them again. */
const withoutIndices = ({ sqlite }: Lake, fill: () => void): void => {
  const made = sqlite
    .prepare(
      `select type, name, sql from sqlite_master where sql is not null and type in ('index', 'trigger')
       and tbl_name in ('video', 'video_snapshot', 'video_hashtag')`,
    )
    .all() as { type: string; name: string; sql: string }[];
  // dropping an index drops its statistics too
  const told = sqlite.prepare('select tbl, idx, stat from sqlite_stat1').raw().all();
  for (const { type, name } of made) sqlite.exec(`drop ${type} "${name}"`);
  fill();
  for (const { sql } of made) sqlite.exec(sql);
  sqlite.exec('delete from sqlite_stat1');
  const tell = sqlite.prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)');
  for (const row of told) tell.run(row);
};

/** The lists of a day: the first of each platform's videos that were published in it. */
const listDay = ({ sqlite }: Lake, at: number): void => {
  for (const platform of ['tiktok', 'instagram', 'youtube']) {
    const { lastInsertRowid } = sqlite
      .prepare(
        `insert into capture (list, platform, period, captured_at, completed_at, total)
         values ('feed', ?, '24h', ?, ?, ${LISTED})`,
      )
      .run(platform, at, at);
    sqlite
      .prepare(
        `insert into ranking (capture_key, rank, video_key, score, velocity)
         select ?, row_number() over (), key, 1, 60 from (
           select key from video where created_at > ? and created_at <= ? and platform = ? limit ${LISTED})`,
      )
      .run(lastInsertRowid, at - DAY_MS, at, platform);
  }
};

/**
 * Makes a lake of `snapshots` snapshots, ten a video at growing distances over half a year, with
 * hashtags, daily lists and search: by SQLite alone, past the loader, indices last.
 */
export const buildLake = (dataDir: string, snapshots: number): void => {
  const lake = openLake(dataDir);
  const { sqlite } = lake;
  sqlite.pragma('synchronous = OFF');
  sqlite.pragma('journal_mode = MEMORY'); // OFF is refused, and a WAL would hold it all a second time
  const videos = videosOf(snapshots);
  const nth = JSON.stringify(Array.from({ length: SNAPSHOTS_A_VIDEO }, (_, i) => i));
  withoutIndices(lake, () => {
    const creators = creatorsOf(videos);
    sqlite.prepare(VIDEOS).run({ videos, creators, from: END_AT - SPAN_MS, span: SPAN_MS });
    sqlite.prepare(SNAPSHOTS).run({ nth, end: END_AT });
    sqlite.exec(`
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${TAGS})
      insert into hashtag (key, tag, folded, first_seen_at) select i, 'tag' || i, 'tag' || i, 0 from n`);
    sqlite.exec(LINKS);
  });
  for (let day = 30; day >= 0; day--) listDay(lake, END_AT - day * DAY_MS);
  sqlite.exec('insert into search_pending select key from video');
  refreshSearch(lake);
  sqlite.pragma('journal_mode = WAL');
  lake.close();
};
