import { HOUR_MS } from '../../base/durations.ts';

/** Slots of the schedule: one daemon of a fleet takes one on; another takes over from one that died. */
export const SLOTS = `
create or replace function claim_slot(of_fleet text, of_job text, at_slot bigint, by_lake text, by_owner text)
returns boolean language plpgsql volatile set search_path from current as $$
begin
  insert into slots (fleet, job, slot_at, lake, owner, claimed_at, alive_at)
    values (of_fleet, of_job, at_slot, by_lake, by_owner, now_ms(), now_ms()) on conflict do nothing;
  return exists (select 1 from slots s
    where s.fleet = of_fleet and s.job = of_job and s.slot_at = at_slot and s.owner = by_owner);
end $$;

create or replace function end_slot(of_fleet text, of_job text, at_slot bigint, by_owner text, is_done boolean)
returns void language plpgsql volatile set search_path from current as $$
begin
  if is_done then
    update slots set done_at = now_ms()
      where fleet = of_fleet and job = of_job and slot_at = at_slot and owner = by_owner;
  else
    delete from slots where fleet = of_fleet and job = of_job and slot_at = at_slot and owner = by_owner;
  end if;
end $$;

create or replace function keep_slots(of_fleet text, by_owner text) returns void language sql volatile set search_path from current as
$$ update slots set alive_at = now_ms() where fleet = of_fleet and owner = by_owner and done_at is null and missed is null $$;

create or replace function take_over_slots(of_fleet text, jobs text[], by_lake text, by_owner text, dead_ms bigint)
returns table (job text, slot_at bigint) language plpgsql volatile set search_path from current as $$
#variable_conflict use_column
begin
  update slots s set missed = case when exists (select 1 from slots n
      where n.fleet = s.fleet and n.job = s.job and n.slot_at > s.slot_at)
      then 'Its daemon died, and a later slot was done instead.'
      else 'Its daemon died, and no daemon took it over within the hour.' end
  where s.fleet = of_fleet and s.job = any (jobs) and s.done_at is null and s.missed is null and s.owner <> by_owner
    and now_ms() - s.alive_at > dead_ms
    and (now_ms() - s.alive_at > ${HOUR_MS}
      or exists (select 1 from slots n where n.fleet = s.fleet and n.job = s.job and n.slot_at > s.slot_at));
  return query update slots s set lake = by_lake, owner = by_owner, claimed_at = now_ms(), alive_at = now_ms()
  where s.fleet = of_fleet and s.job = any (jobs) and s.done_at is null and s.missed is null and s.owner <> by_owner
    and now_ms() - s.alive_at between dead_ms and ${HOUR_MS}
    and not exists (select 1 from slots n where n.fleet = s.fleet and n.job = s.job and n.slot_at > s.slot_at)
  returning s.job, s.slot_at;
end $$;
`;
