/** Raised whenever what stands below changes; `ledger init` brings a ledger to it. */
export const LEDGER_VERSION = 4;

/** Marks of a ledger's schema. */
export const PROGRAM = 'trendlake';

/**
 * The tables of the shared ledger. Instants are Unix ms of the server's clock.
 *
 * meta   which program and which version of it made the schema
 * keys   one row a key of the service, as SHA-256. Its lock is what admissions of all machines wait
 *        for; `seq` numbers its calls. `held_until`: no call before it, as the clock was not to be trusted
 * calls  one row for each request, retries included, committed before it leaves. Without
 *        `finished_at` it is in flight, or its machine died, or its machine never learned that it
 *        was counted and did not send it: all count, unless its machine gives it back by its `token`
 * hours  calls of a key by UTC hour, from which months are summed; `by_hand` of them were asked by
 *        people, `behind` were made while the clock was behind an earlier call of this hour
 * hints  what the service last stated of its limits, as `quota_hint` of a lake; `seq` is the newest call
 *        when it was stated
 * members  the limits that each machine states for a key, with its newest admission; the smallest of
 *        those seen within a day hold for all
 * slots  the schedule's memory: which daemon has which slot, and when it last showed that it lives
 */
export const TABLES = `
create table if not exists meta (
  one boolean primary key default true check (one),
  program text not null,
  version int not null
);
insert into meta (program, version) values ('${PROGRAM}', ${LEDGER_VERSION})
  on conflict (one) do update set version = excluded.version;
create table if not exists keys (
  id bigint generated always as identity primary key,
  hash text not null unique,
  seq bigint not null default 0,
  newest_at bigint not null default 0,
  server_started bigint,
  held_until bigint not null default 0,
  pause_set_at bigint not null default 0,
  pause_until bigint not null default 0,
  pause_resumes_at bigint not null default 0,
  pause_reason text not null default ''
) with (fillfactor = 50);
create table if not exists calls (
  key_id bigint not null references keys (id),
  seq bigint not null,
  lake text not null,
  run_id bigint,
  job text not null,
  request text not null,
  sent_at bigint not null,
  free_at bigint not null,
  finished_at bigint,
  status int,
  error text,
  sent boolean not null default true,
  primary key (key_id, seq)
);
create index if not exists calls_slots on calls (key_id, free_at);
alter table calls add column if not exists token text;
create index if not exists calls_tokens on calls (key_id, token) where finished_at is null and token is not null;
create table if not exists hours (
  key_id bigint not null references keys (id),
  hour bigint not null,
  calls int not null default 0,
  by_hand int not null default 0,
  behind int not null default 0,
  primary key (key_id, hour)
) with (fillfactor = 50);
create table if not exists hints (
  key_id bigint not null references keys (id),
  name text not null,
  stated text not null,
  window_ms bigint,
  quota bigint,
  remaining bigint,
  resets_at bigint,
  seen_at bigint not null,
  seq bigint not null,
  primary key (key_id, name)
);
create table if not exists members (
  key_id bigint not null references keys (id),
  lake text not null,
  rate_per_minute bigint not null,
  calls_per_month bigint not null,
  seen_at bigint not null,
  primary key (key_id, lake)
);
create table if not exists slots (
  fleet text not null,
  job text not null,
  slot_at bigint not null,
  lake text not null,
  owner text not null,
  claimed_at bigint not null,
  alive_at bigint not null,
  done_at bigint,
  primary key (fleet, job, slot_at)
);
alter table slots add column if not exists missed text;
`;
