import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

/** Recent requests with a response, even one without counts. Instants are Unix ms on the clock of the counts. */
export interface RequestedLately {
  /** Last request of timelines that brought nothing new, by video id. */
  readonly timelines: ReadonlyMap<string, number>;
  /** All requested profiles, newest last. */
  readonly profiles: readonly RequestedProfile[];
  /** Ids of videos that the service no longer has, by its last response. */
  readonly gone: ReadonlySet<string>;
}

interface RequestedProfile {
  readonly platform: Platform;
  /** The one form of all spellings of the handle. */
  readonly folded: string;
  readonly at: number;
}

/** Older requests are forgotten. */
const REMEMBERED_MS = 30 * DAY_MS;

// The instant of a run is that of its lists, in whose time all counts are. `cross` keeps the order
// of the tables, so that what is read is bounded by the calls of those weeks.
const RESPONSES = `
  with recent as (
    select id, coalesce((select max(completed_at) from capture where run_id = r.id), started_at) as at
    from runs r
  )
  select i.request_json ->> 'id', i.request_json ->> 'platform', i.request_json ->> 'handle', r.at,
    c.status <> 200
  from recent r cross join calls c on c.run_id = r.id
    cross join run_items i on i.run_id = c.run_id and i.job = c.job and i.request = c.request
  where r.at > @since and r.at <= @now and c.job in ('growth', 'creators', 'watch')
    and (c.status in (404, 410, 451) or c.status = 200 and c.error is null
      and (i.request_json ->> 'handle' is not null or c.rows_changed = 0))
  order by r.at`;

/** Reads it as of `now` (Unix ms). Only reads, and no more than the calls of the last 30 days. */
export const requestedLately = ({ sqlite }: Lake, now: number): RequestedLately => {
  const timelines = new Map<string, number>();
  const profiles: RequestedProfile[] = [];
  const gone = new Set<string>();
  const responses = prepare(sqlite, RESPONSES, ['text?', 'platform', 'text?', 'number', 'number']);
  for (const [id, platform, handle, at, isGone] of responses.all({
    now,
    since: now - REMEMBERED_MS,
  })) {
    if (id !== null) timelines.set(id, at);
    if (id !== null && isGone === 1) gone.add(id);
    else if (id !== null) gone.delete(id);
    if (handle !== null) profiles.push({ platform, folded: foldHandle(handle), at });
  }
  return { timelines, profiles, gone };
};
