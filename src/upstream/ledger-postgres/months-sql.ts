import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { ROLLING_MS } from '../throttle/month.ts';
import { MONTH_FROM_MS } from '../throttle/quota-hints.ts';
import { SLOT_MS } from '../throttle/slots.ts';

/**
 * Time and months, as src/upstream/throttle/month.ts has them. Functions that only other functions call have no search path:
 * setting one costs more than what these do.
 */
const CLOCK = `
create or replace function now_ms() returns bigint language sql volatile as
$$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

create or replace function anchor_ms(first timestamp, day int) returns bigint language sql immutable as
$$ select (extract(epoch from first + make_interval(days =>
  least(day, extract(day from first + interval '1 month' - interval '1 day')::int) - 1)) * 1000)::bigint $$;

create or replace function month_window(reset text, instant bigint, out starts_at bigint, out ends_at bigint)
language plpgsql immutable as $$
declare
  day int;
  first timestamp;
begin
  if reset = 'rolling' then
    starts_at := instant - ${ROLLING_MS};
    ends_at := instant + ${ROLLING_MS};
    return;
  end if;
  day := case reset when 'calendar' then 1 else substr(reset, 8)::int end;
  first := date_trunc('month', to_timestamp(instant / 1000.0) at time zone 'UTC');
  if instant < anchor_ms(first, day) then first := first - interval '1 month'; end if;
  starts_at := anchor_ms(first, day);
  ends_at := anchor_ms(first + interval '1 month', day);
end $$;
`;

/**
 * Calls spent in a key's month. A rolling month ends when its oldest hour leaves it. Of a hint, what is left
 * if it counts every call in flight, and `surely` if it counts none.
 */
const MONTH = `
create or replace function month_spent(of_key bigint, reset text, instant bigint,
  out starts_at bigint, out ends_at bigint, out spent bigint, out by_hand bigint)
language plpgsql stable as $$
declare
  oldest bigint;
begin
  select w.starts_at, w.ends_at into starts_at, ends_at from month_window(reset, instant) w;
  select coalesce(sum(h.calls), 0) + coalesce(sum(h.behind) filter (where h.hour < month_spent.ends_at), 0),
      coalesce(sum(h.by_hand), 0), min(h.hour) filter (where h.calls > 0)
    into spent, by_hand, oldest
    from hours h where h.key_id = of_key and h.hour > month_spent.starts_at - ${HOUR_MS};
  if reset = 'rolling' and oldest is not null then ends_at := oldest + ${HOUR_MS + ROLLING_MS}; end if;
end $$;

drop function if exists valid_hints(bigint, bigint, bigint);
create function valid_hints(of_key bigint, newest_seq bigint, instant bigint)
returns table (name text, window_ms bigint, remaining bigint, surely bigint, seen_at bigint, until bigint)
language sql stable as $$
  select h.name, h.window_ms, greatest(0, h.remaining - (newest_seq - h.seq)),
    greatest(0, h.remaining - (newest_seq - h.seq) - (select count(*) from calls c
      where c.key_id = of_key and c.free_at > instant + ${SLOT_MS} and c.finished_at is null and c.seq <= h.seq)),
    h.seen_at, coalesce(h.resets_at, h.seen_at + h.window_ms)
  from hints h
  where h.key_id = of_key and h.window_ms is not null
    and instant < coalesce(h.resets_at, h.seen_at + h.window_ms) and h.seen_at - instant < ${HOUR_MS}
$$;
`;

/** Calls spent in a key's month and last minute, and the limits that machines state for it, lowered by what the service stated. Reads only. */
const SPENT = `
create or replace function key_spent(key_hash text, reset text) returns jsonb
language sql stable set search_path from current as $$
  select jsonb_build_object('at', n.instant, 'startsAt', m.starts_at, 'endsAt', m.ends_at,
    'spent', m.spent, 'byHand', m.by_hand,
    'inMinute', (select count(*) from calls c
      where c.key_id = k.id and c.free_at > n.instant and c.sent_at > n.instant - ${MINUTE_MS} and c.sent),
    'pause', case when least(k.pause_until - n.instant, k.pause_until - k.pause_set_at) > 0
      then jsonb_build_object('untilAt', k.pause_resumes_at, 'reason', k.pause_reason) end,
    'members', (select coalesce(jsonb_agg(jsonb_build_object('lake', s.lake,
        'ratePerMinute', s.rate_per_minute, 'callsPerMonth', s.calls_per_month) order by s.lake), '[]')
      from members s where s.key_id = k.id and abs(n.instant - s.seen_at) < ${DAY_MS}),
    'left', (select min(v.surely) from valid_hints(k.id, k.seq, n.instant) v where v.window_ms >= ${MONTH_FROM_MS}))
  from (select now_ms() as instant) n
  left join keys k on k.hash = key_hash
  cross join month_spent(coalesce(k.id, 0), reset, n.instant) m
$$;
`;

export const MONTHS = [CLOCK, MONTH, SPENT].join('\n');
