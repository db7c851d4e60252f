import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { prepared } from '../statements.ts';

/** Time of a video in one pulled list. Instants are Unix ms. */
export interface ListStay {
  readonly list: 'feed' | 'trends' | 'import';
  readonly platform: Platform;
  readonly period: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly bestRank: number;
  /** In the last pull that had it. */
  readonly lastRank: number;
  readonly pulls: number;
  /** From pull to pull with the video in both. The time between pulls is not observed. */
  readonly hours: number;
  readonly isThereNow: boolean;
}

/** View `list_stays` for one video, from the pulls that were whole at an instant. */
const STAYS = `
  with stood as (
    select c.key, c.list, c.platform, c.period, c.completed_at as at, min(r.rank) as rank,
      (select n.key from capture n where n.list = c.list and n.platform = c.platform
        and n.period = c.period and n.captured_at > c.captured_at
        and n.completed_at <= @asOf order by n.captured_at limit 1) as next_key
    from ranking r join capture c on c.key = r.capture_key
    where r.video_key = +@videoKey and c.completed_at <= @asOf and c.captured_at <= @asOf
    group by c.key
  )
  select s.list, s.platform, s.period, min(s.at) as firstSeenAt, max(s.at) as lastSeenAt,
    min(s.rank) as bestRank, count(*) as pulls,
    (select l.rank from stood l where l.list = s.list and l.platform = s.platform
      and l.period = s.period order by l.at desc limit 1) as lastRank,
    total(case when t.key is not null then t.at - s.at end) / 3600000.0 as hours,
    max(s.next_key is null) as isThereNow
  from stood s left join stood t on t.key = s.next_key
  group by s.list, s.platform, s.period
  order by s.list, case s.period when 'day' then 1 when 'week' then 2 when 'month' then 3 else 0 end, s.period`;

/** Stays of a video in lists, as of an instant: view `list_stays` at that time. */
export const readListStays = (lake: Lake, videoKey: number, asOf: number): ListStay[] =>
  prepared<Omit<ListStay, 'isThereNow'> & { isThereNow: number }>(lake, STAYS, {
    list: 'text',
    platform: 'text',
    period: 'text',
    firstSeenAt: 'number',
    lastSeenAt: 'number',
    bestRank: 'number',
    pulls: 'number',
    lastRank: 'number',
    hours: 'number',
    isThereNow: 'number',
  })
    .all({ videoKey, asOf })
    .map((row) => ({ ...row, isThereNow: row.isThereNow === 1 }));
