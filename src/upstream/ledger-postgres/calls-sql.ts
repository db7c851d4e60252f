import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { LONGEST_PAUSE_MS } from '../throttle/pause.ts';
import { BELIEVED_MS } from '../throttle/quota-hints.ts';
import { LONGEST_MINUTES, SLOT_MS } from '../throttle/slots.ts';

/** Longest wait for the lock of a key. Its holder may wait for a standby that is down. */
const LOCK_WAIT = '5s';

/**
 * Nobody sends for a minute, and what is in flight holds its slot as if it had left now: the clock was
 * stepped, or another server answers, and nobody knows how long ago calls were made.
 */
const HOLD = `
create or replace function hold_slots(of_key bigint, limits jsonb) returns bigint
language plpgsql volatile as $$
declare
  until bigint := now_ms() + ${SLOT_MS};
begin
  update keys set held_until = until where id = of_key;
  update calls c set free_at = greatest(c.free_at, until + (limits->>'timeoutMs')::bigint)
    from keys k where k.id = of_key and c.key_id = of_key and c.finished_at is null
      and c.seq > k.seq - ${LONGEST_MINUTES} * (limits->>'ratePerMinute')::bigint;
  return until;
end $$;
`;

/**
 * Gives back calls that were admitted without their machine learning of it, so they never left. The
 * key's lock is held by an admission that is still under way. Nobody waits for it to reach the disk or a
 * standby: a call that is not given back counts.
 */
const GIVE_BACK = `
create or replace function return_calls(of_key bigint, tokens jsonb) returns void
language plpgsql volatile as $$
declare
  c record;
begin
  for c in update calls t set finished_at = now_ms(), sent = false, free_at = now_ms(),
      error = 'It was admitted, but its machine did not learn of it, so it never left.'
    where t.key_id = of_key and t.finished_at is null
      and t.token in (select jsonb_array_elements_text(coalesce(tokens, '[]')))
    returning t.sent_at, case when t.run_id is null then 1 else 0 end as by_hand
  loop
    update hours set calls = calls - 1, by_hand = by_hand - c.by_hand
      where key_id = of_key and hour = c.sent_at - c.sent_at % ${HOUR_MS};
  end loop;
end $$;

create or replace function give_back(key_hash text, tokens jsonb) returns void
language plpgsql volatile set search_path from current as $$
declare
  k keys;
begin
  perform set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '${LOCK_WAIT}', true);
  select * into k from keys where hash = key_hash for update;
  perform return_calls(k.id, tokens);
end $$;
`;

/**
 * Admits a call or says why not. The key's row is locked first and everything counted by statements
 * after it, each of which sees what was committed before: a count made in the locking statement is
 * older than the lock. Where another server answers than before, such as a promoted standby, whose clock
 * may differ, nobody sends for a minute: then all that its predecessor admitted has left the minute.
 */
const ADMIT = `
create or replace function admit(key_hash text, call jsonb, limits jsonb)
returns jsonb language plpgsql volatile set search_path from current as $$
declare
  k keys;
  m record;
  h record;
  s record;
  instant bigint;
  lake_name text := call->>'lake';
  rate bigint := (limits->>'ratePerMinute')::bigint;
  quota bigint := (limits->>'callsPerMonth')::bigint;
  fastest bigint;
  server bigint := floor(extract(epoch from pg_postmaster_start_time()) * 1000)::bigint;
  decision jsonb;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'an admission counts in read committed only' using errcode = 'TL001';
  end if;
  if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  perform set_config('lock_timeout', '${LOCK_WAIT}', true);
  select * into k from keys where hash = key_hash for update;
  if not found then
    insert into keys (hash) values (key_hash) on conflict do nothing;
    select * into k from keys where hash = key_hash for update;
  end if;
  perform return_calls(k.id, call->'unsent');
  instant := now_ms();
  decision := jsonb_build_object('at', instant);
  if k.server_started is distinct from server then
    if k.server_started is not null then k.held_until := hold_slots(k.id, limits); end if;
    update keys set server_started = server where id = k.id;
  end if;
  if least(k.pause_until - instant, k.pause_until - k.pause_set_at) > 0 then
    return decision || jsonb_build_object('pause', jsonb_build_object(
      'forMs', least(k.pause_until - instant, k.pause_until - k.pause_set_at),
      'resumesAt', k.pause_resumes_at, 'reason', k.pause_reason));
  end if;
  if not exists (select 1 from members w where w.key_id = k.id and w.lake = lake_name
      and w.rate_per_minute = rate and w.calls_per_month = quota and abs(instant - w.seen_at) < ${HOUR_MS}) then
    insert into members (key_id, lake, rate_per_minute, calls_per_month, seen_at)
      values (k.id, lake_name, rate, quota, instant)
      on conflict (key_id, lake) do update set rate_per_minute = excluded.rate_per_minute,
        calls_per_month = excluded.calls_per_month, seen_at = excluded.seen_at;
  end if;
  select min(w.rate_per_minute), min(w.calls_per_month), max(w.rate_per_minute) into rate, quota, fastest
    from members w where w.key_id = k.id and abs(instant - w.seen_at) < ${DAY_MS};
  select * into m from month_spent(k.id, limits->>'quotaReset', instant);
  if m.spent >= quota then
    return decision || jsonb_build_object('spentUntil', m.ends_at, 'limit', quota);
  end if;
  select * into h from valid_hints(k.id, k.seq, instant) v
    where v.window_ms > ${HOUR_MS} and instant - v.seen_at < ${BELIEVED_MS} and v.surely = 0
    order by v.remaining limit 1;
  if found and h.remaining > 0 then
    -- waitMs: for processes of version 1 that run on, which know nothing else and would ask each millisecond
    return decision || jsonb_build_object('untilEndedMs', ${SECOND_MS}, 'waitMs', ${SECOND_MS});
  elsif found then
    return decision || jsonb_build_object('spentUntil', h.until,
      'hint', jsonb_build_object('name', h.name, 'seenAt', h.seen_at));
  end if;
  select least(rate, min(v.quota)) into rate from hints v where v.key_id = k.id
    and v.window_ms = ${MINUTE_MS} and v.quota >= 1 and abs(instant - v.seen_at) < ${DAY_MS};
  if k.held_until > instant then
    return decision || jsonb_build_object('waitMs', least(k.held_until - instant, ${SLOT_MS}));
  end if;
  select count(*) as held, min(c.free_at) as free_at, bool_and(c.finished_at is null) as all_in_flight into s
    from calls c where c.key_id = k.id and c.free_at > instant
      and c.seq > k.seq - ${LONGEST_MINUTES} * fastest;
  if s.held >= rate then
    return decision || jsonb_build_object('waitMs',
      least(case when s.all_in_flight then 1000 else ${SLOT_MS} end, greatest(1, s.free_at - instant)));
  end if;
  insert into calls (key_id, seq, token, lake, run_id, job, request, sent_at, free_at)
    values (k.id, k.seq + 1, call->>'token', call->>'lake', (call->>'runId')::bigint, call->>'job', call->>'request',
      instant, instant + (limits->>'timeoutMs')::bigint + ${SLOT_MS + 1});
  update keys set seq = seq + 1, newest_at = greatest(newest_at, instant) where id = k.id;
  insert into hours as t (key_id, hour, calls, by_hand)
    values (k.id, instant - instant % ${HOUR_MS}, 1, case when call->>'runId' is null then 1 else 0 end)
    on conflict (key_id, hour) do update set calls = t.calls + 1, by_hand = t.by_hand + excluded.by_hand;
  if k.newest_at - k.newest_at % ${HOUR_MS} > instant then
    insert into hours as t (key_id, hour, behind) values (k.id, k.newest_at - k.newest_at % ${HOUR_MS}, 1)
      on conflict (key_id, hour) do update set behind = t.behind + 1;
  end if;
  return decision || jsonb_build_object('seq', k.seq + 1);
end $$;
`;

/**
 * Pauses a key for all machines, unless a longer pause holds; and settles a call, once. Nobody waits for
 * a settled call to reach the disk: one that is forgotten counts, and holds its slot a little longer.
 */
const SETTLE = `
create or replace function pause_key(key_hash text, asked_ms bigint, why text)
returns void language plpgsql volatile set search_path from current as $$
declare
  k keys;
  instant bigint;
  for_ms bigint := least(asked_ms, ${LONGEST_PAUSE_MS});
begin
  select * into k from keys where hash = key_hash for update;
  instant := now_ms();
  if k.id is null or least(k.pause_until - instant, k.pause_until - k.pause_set_at) >= for_ms then return; end if;
  update keys set pause_set_at = instant, pause_until = instant + for_ms, pause_resumes_at = instant + asked_ms, pause_reason = why
    where id = k.id;
end $$;

create or replace function hold_key(key_hash text, limits jsonb) returns void
language sql volatile set search_path from current as
$$ select hold_slots(id, limits) from keys where hash = key_hash for update $$;

create or replace function settle(key_hash text, of_seq bigint, outcome jsonb)
returns void language plpgsql volatile set search_path from current as $$
declare
  of_key bigint;
  was_at bigint;
  was_by_hand int;
  instant bigint := now_ms();
begin
  perform set_config('synchronous_commit', 'off', true);
  select id into of_key from keys where hash = key_hash;
  update calls set finished_at = instant, status = (outcome->>'status')::int, error = outcome->>'error',
      sent = (outcome->>'sent')::boolean,
      free_at = case when (outcome->>'sent')::boolean then instant + ${SLOT_MS} else instant end
    where key_id = of_key and seq = of_seq and finished_at is null
    returning sent_at, case when run_id is null then 1 else 0 end into was_at, was_by_hand;
  if not found then return; end if;
  if not (outcome->>'sent')::boolean then
    update hours set calls = calls - 1, by_hand = by_hand - was_by_hand
      where key_id = of_key and hour = was_at - was_at % ${HOUR_MS};
  end if;
  insert into hints as t (key_id, name, stated, window_ms, quota, remaining, resets_at, seen_at, seq)
    select of_key, w.name, w.stated, w."windowMs", w.quota, w.remaining, instant + w."resetsInMs", instant, k.seq
    from keys k cross join jsonb_to_recordset(outcome->'hints') as w (name text, stated text, "windowMs" bigint, quota bigint,
      remaining bigint, "resetsInMs" bigint)
    where k.id = of_key
    on conflict (key_id, name) do update set stated = excluded.stated, window_ms = excluded.window_ms,
      quota = excluded.quota, remaining = excluded.remaining, resets_at = excluded.resets_at,
      seen_at = excluded.seen_at, seq = excluded.seq
    where of_seq > t.seq or t.remaining is null or excluded.remaining <= t.remaining
      or coalesce(t.resets_at, t.seen_at + t.window_ms) <= instant;
  if (outcome->>'shortMs')::bigint > 0 and (outcome->>'ratePerMinute')::int > (
    select count(*) from calls c where c.key_id = of_key and c.free_at > instant) then
    perform pause_key(key_hash, (outcome->>'shortMs')::bigint, outcome->>'shortWhy');
  end if;
end $$;
`;

export const CALLS = [HOLD, GIVE_BACK, ADMIT, SETTLE].join('\n');
