import { DAY_MS } from '../../src/base/durations.ts';
import type { Lake } from '../../src/lake/open.ts';

export const START_AT = Date.UTC(2024, 0, 1);

/** Contents of a small lake. */
export interface SmallLake {
  readonly videos: number;
  /** Each with one snapshot of each video. */
  readonly days: number;
  /** Lakes of different seeds have different counts; 0 by default. */
  readonly seed?: number;
}

/** Adds videos and their snapshots to an empty lake: in bulk, past the loader. */
export const fillLake = ({ sqlite }: Lake, { videos, days, seed = 0 }: SmallLake): void => {
  sqlite
    .transaction(() => {
      sqlite
        .prepare(
          `insert into video (key, id, platform, title, first_seen_at)
           with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
           select i, 'tt_' || i, 'tiktok', 'video ' || i, ? from n`,
        )
        .run(videos, START_AT);
      sqlite
        .prepare(
          `insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source)
           with recursive d(day) as (select 0 union all select day + 1 from d where day < ? - 1)
           select key, ? + day * ? + key * 1000, (key * 1000 + day) * (? * 7 + 1), 0, 0, 1 from d, video`,
        )
        .run(days, START_AT, DAY_MS, seed);
    })
    .immediate();
};

/** Gives every row of a day a mark, in `likes`: a read that sees two marks saw two states. */
export const markDay = ({ sqlite }: Lake, day: number, mark: number): void => {
  const from = START_AT + day * DAY_MS;
  const date = new Date(from).toISOString().slice(0, 10);
  sqlite
    .transaction(() => {
      sqlite
        .prepare(
          'update video_snapshot set likes = ?, views = views + 1 where observed_at >= ? and observed_at < ?',
        )
        .run(mark, from, from + DAY_MS);
      sqlite
        .prepare(
          `insert into touched_partitions (table_name, date, version) values ('video_snapshots', ?, ?)
           on conflict (table_name, date) do update set version = excluded.version`,
        )
        .run(date, Date.now());
    })
    .immediate();
};

/** Sum of the views of all snapshots of a lake so filled. */
export const viewsOf = ({ videos, days, seed = 0 }: SmallLake): number => {
  const keys = (videos * (videos + 1)) / 2;
  return (keys * 1000 * days + (videos * days * (days - 1)) / 2) * (seed * 7 + 1);
};

/** The marks of a day, and rows, sum of views, first and last instant of all days, as SQLite has them. */
export const stateOf = ({ sqlite }: Lake, day: number): { mark: number; sums: string[] } => {
  const from = START_AT + day * DAY_MS;
  const mark = sqlite
    .prepare('select max(likes) from video_snapshot where observed_at >= ? and observed_at < ?')
    .pluck()
    .get(from, from + DAY_MS) as number;
  const sums = sqlite
    .prepare('select count(*), sum(views), min(observed_at), max(observed_at) from video_snapshots')
    .raw()
    .get() as number[];
  return { mark, sums: sums.map(String) };
};
