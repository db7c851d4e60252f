import { MINUTE_MS } from '../../base/durations.ts';

/**
 * Keys of `serve`, which several of them count together. `service_keys` is one row a key, as SHA-256;
 * `sequence` numbers its requests, `month` (YYYY-MM, UTC) is the one `month_calls` counts.
 * `service_recent` has the instants of a key's last requests, as a ring: slot = sequence modulo its rate.
 * `service_usage` counts requests by UTC day and route; `refused` of them were answered 429.
 */
export const SERVICE = `
create table if not exists service_keys (
  id text primary key,
  hash text not null unique,
  use_case text not null,
  tier text not null,
  rate_per_minute int not null,
  calls_per_month int not null,
  scopes text not null,
  created_at bigint not null,
  revoked_at bigint,
  sequence bigint not null default 0,
  month text not null default '',
  month_calls bigint not null default 0
) with (fillfactor = 50);
create table if not exists service_recent (
  key_id text not null references service_keys (id),
  slot int not null,
  at bigint not null,
  primary key (key_id, slot)
) with (fillfactor = 50);
create table if not exists service_usage (
  key_id text not null references service_keys (id),
  day text not null,
  route text not null,
  requests bigint not null,
  refused bigint not null,
  primary key (key_id, day, route)
) with (fillfactor = 50);

create or replace function add_service_key(key jsonb) returns void
language sql volatile set search_path from current as $$
  insert into service_keys (id, hash, use_case, tier, rate_per_minute, calls_per_month, scopes, created_at)
  select k.id, k.hash, k."useCase", k.tier, k."ratePerMinute", k."callsPerMonth", k.scopes, k."createdAt"
  from jsonb_to_record(key) as k (id text, hash text, "useCase" text, tier text, "ratePerMinute" int,
    "callsPerMonth" int, scopes text, "createdAt" bigint)
  on conflict do nothing
$$;

create or replace function revoke_service_key(of_key text, instant bigint) returns void
language sql volatile set search_path from current as
$$ update service_keys set revoked_at = instant where id = of_key and revoked_at is null $$;

create or replace function count_requests(hashes text[], routes text[]) returns jsonb
language plpgsql volatile set search_path from current as $$
declare
  k service_keys;
  instant bigint;
  month_now text;
  day_now text;
  low bigint;
  high bigint;
  middle bigint;
  used bigint;
  oldest bigint;
  oldest_at bigint;
  is_refused boolean;
  told jsonb[] := '{}';
begin
  perform set_config('synchronous_commit', 'off', true);
  perform 1 from service_keys where hash = any (hashes) order by hash for update;
  instant := now_ms();
  day_now := to_char(to_timestamp(instant / 1000.0) at time zone 'UTC', 'YYYY-MM-DD');
  month_now := left(day_now, 7);
  for i in 1 .. cardinality(hashes) loop
    update service_keys set sequence = sequence + 1, month = month_now,
        month_calls = case when month = month_now then month_calls + 1 else 1 end
      where hash = hashes[i] and revoked_at is null returning * into k;
    if not found then
      told := told || 'null'::jsonb;
      continue;
    end if;
    low := greatest(0, k.sequence - 1 - k.rate_per_minute);
    high := k.sequence - 1;
    while low < high loop
      middle := (low + high) / 2;
      if (select r.at from service_recent r where r.key_id = k.id and r.slot = middle % k.rate_per_minute)
          > instant - ${MINUTE_MS} then high := middle;
      else low := middle + 1; end if;
    end loop;
    used := least(k.rate_per_minute, k.sequence - 1 - low);
    oldest := greatest(low, k.sequence - k.rate_per_minute);
    oldest_at := instant;
    if oldest < k.sequence - 1 then
      select r.at into oldest_at from service_recent r
        where r.key_id = k.id and r.slot = oldest % k.rate_per_minute;
    end if;
    is_refused := k.month_calls > k.calls_per_month or used >= k.rate_per_minute;
    insert into service_recent as r (key_id, slot, at)
      values (k.id, (k.sequence - 1) % k.rate_per_minute, instant)
      on conflict (key_id, slot) do update set at = excluded.at;
    insert into service_usage as u (key_id, day, route, requests, refused)
      values (k.id, day_now, routes[i], 1, is_refused::int)
      on conflict (key_id, day, route) do update set requests = u.requests + 1, refused = u.refused + excluded.refused;
    told := told || jsonb_build_object('id', k.id, 'scopes', k.scopes, 'rate', k.rate_per_minute,
      'quota', k.calls_per_month, 'calls', k.month_calls - 1, 'used', used, 'at', instant, 'oldestAt', oldest_at);
  end loop;
  return to_jsonb(told);
end $$;
`;
