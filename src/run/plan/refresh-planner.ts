import { type Platform, type RefreshJob, sourceCode } from '../../../schema/vocabulary.ts';
import {
  markOthersTaken,
  markTaken,
  readWantedSubjects,
} from '../../alerts/webhooks/wanted-subjects.ts';
import type { Clock } from '../../base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';
import { chooseCalls } from '../../learn/budget/choice.ts';
import { lakeInput } from '../../learn/budget/lake-input.ts';
import { creatorNames } from '../../learn/budget/read-tracked.ts';
import { type RequestedLately, requestedLately } from '../../learn/budget/requested-lately.ts';
import { requestLine } from '../../upstream/request.ts';
import type { PlannedItem } from './planned-item.ts';
import type { RefreshBudget } from './refresh-budget.ts';

interface RefreshContext {
  lake: Lake;
  clock: Clock;
  runId: number;
}

interface ChoiceContext extends RefreshContext {
  platforms: readonly Platform[];
  /** Calls per job in this run; 0 for a job that does not run. */
  refreshCalls: Readonly<Record<RefreshJob, number>>;
}

interface Refreshes {
  growth: PlannedItem[];
  creators: PlannedItem[];
}

/** Subjects of events that the upstream sent. Those without calls left stay wanted. */
const wantedRefreshes = (
  { lake, clock, refreshCalls, platforms }: ChoiceContext,
  limit: number,
): PlannedItem[] => {
  const calls = { video: refreshCalls.growth, creator: refreshCalls.creators };
  markOthersTaken(lake, Object.keys(calls), clock.now());
  const kinds = Object.entries(calls).flatMap(([kind, some]) => (some > 0 ? [kind] : []));
  return readWantedSubjects(lake, kinds, limit).flatMap((wanted): PlannedItem[] => {
    const { kind, id, wantedAt } = wanted;
    const platform = wanted.platform ?? platformOfId(id);
    if (platform !== undefined && !platforms.includes(platform)) return [];
    markTaken(lake, wanted, clock.now());
    if (platform === undefined) return [];
    const reason = { rule: 'event of the upstream', wantedAt };
    return kind === 'video'
      ? [{ request: { kind: 'growth', id, platform }, reason }]
      : [{ request: { kind: 'creator', platform, handle: id }, reason }];
  });
};

const LISTED = `
  select v.key, v.id, v.platform, v.user, v.views from video v
  where v.views > 0 and v.platform in (select value from json_each(@platforms)) and v.key in (
    select r.video_key from capture c join ranking r on r.capture_key = c.key
    where c.run_id = (
      select run_id from capture where run_id is not null and list <> 'hashtags'
      order by run_id desc limit 1))`;
const FIRST_TIMELINES = `
  select id, platform, views from (${LISTED}) v
  where not exists (select 1 from video_snapshot s where s.video_key = v.key and s.source = @growth)
    and id not in (select value from json_each(@requested))
  order by views desc, id limit @limit`;
const FIRST_PROFILES = `
  select platform, min(user) as handle, sum(views) as views
  from (select l.*, coalesce(n.folded, l.user) as folded
    from (${LISTED}) l left join handle_spelling n on n.handle = l.user) v
  where folded <> '' and not exists (
    select 1 from creator c where c.platform = v.platform and c.handle in (${spellingsOf('v.folded')}))
    and (platform, folded) not in (select value ->> 'platform', value ->> 'folded' from json_each(@requested))
  group by platform, folded order by sum(views) desc, platform, folded limit @limit`;

/** Videos of the newest lists without a timeline, most views first. */
const firstTimelines = (
  { lake, refreshCalls, platforms }: ChoiceContext,
  { timelines }: RequestedLately,
): PlannedItem[] => {
  const query = {
    growth: sourceCode('growth'),
    limit: refreshCalls.growth,
    platforms: JSON.stringify(platforms),
    requested: JSON.stringify([...timelines.keys()]),
  };
  const rows = prepare(lake.sqlite, FIRST_TIMELINES, {
    id: 'text',
    platform: 'platform',
    views: 'number',
  });
  return rows.all(query).map(({ id, platform, views }) => ({
    request: { kind: 'growth', id, platform },
    reason: { rule: 'first timeline', views },
  }));
};

/** Creators of the newest lists without a profile, most listed views first. */
const firstProfiles = (
  { lake, refreshCalls, platforms }: ChoiceContext,
  { profiles }: RequestedLately,
): PlannedItem[] => {
  const rows = prepare(lake.sqlite, FIRST_PROFILES, {
    platform: 'platform',
    handle: 'text',
    views: 'number',
  });
  const query = {
    limit: refreshCalls.creators,
    platforms: JSON.stringify(platforms),
    requested: JSON.stringify(profiles),
  };
  return rows.all(query).map(({ platform, handle, views }) => ({
    request: { kind: 'creator', platform, handle },
    reason: { rule: 'first profile', views },
  }));
};

const firstHalf = (items: readonly PlannedItem[]): PlannedItem[] =>
  items.slice(0, Math.ceil(items.length / 2));

/** Newest list of the run, so that counts match the service's clock; our clock without one. */
const currentInstant = ({ lake, clock, runId }: RefreshContext): number =>
  required(
    prepare(lake.sqlite, 'select max(completed_at) from capture where run_id = ?', 'number?').get(
      runId,
    ),
  ) ?? clock.now();

/** The planner's choices as of `now`, best first. */
const plannedRefreshes = (
  { lake, refreshCalls, platforms }: ChoiceContext,
  { calls, now, requested }: { calls: number; now: number; requested: RequestedLately },
): PlannedItem[] => {
  const { showing, ...input } = lakeInput(lake, now, platforms, requested);
  const idOf = prepare(lake.sqlite, 'select id, platform from video where key = ?', {
    id: 'text',
    platform: 'platform',
  });
  const creatorOf = creatorNames(lake, input.tracked);
  const choices = chooseCalls({
    ...input,
    ...(refreshCalls.creators > 0 ? { showing } : {}),
    now,
    calls,
    callsPerDay: callsPerDay(lake, calls, now),
  });
  return choices.flatMap((choice): PlannedItem[] => {
    const reason = { ...choice.reason };
    if (choice.kind === 'growth') {
      const video = required(idOf.get(choice.video));
      return [{ request: { kind: 'growth', ...video }, reason }];
    }
    return [{ request: { kind: 'creator', ...creatorOf(choice.creator) }, reason }];
  });
};

/** Key of a request. Two spellings of a handle are the same creator. */
const subjectOf = ({ request }: PlannedItem): string =>
  requestLine(
    request.kind === 'creator' ? { ...request, handle: foldHandle(request.handle) } : request,
  );

/** Unique requests, at most `calls`. */
const firstOf = (items: readonly PlannedItem[], calls: number): PlannedItem[] => {
  const byLine = new Map<string, PlannedItem>();
  for (const item of items) {
    const line = subjectOf(item);
    if (byLine.size < calls && !byLine.has(line)) byLine.set(line, item);
  }
  return [...byLine.values()];
};

/**
 * Refreshes that are due, then first ones. Half of the first ones come before the planner's next
 * best.
 */
const refreshesByWorth = (context: ChoiceContext, calls: number): PlannedItem[] => {
  const now = currentInstant(context);
  const requested = requestedLately(context.lake, now);
  const planned = plannedRefreshes(context, { calls, now, requested }).filter(
    ({ request }) => request.kind !== 'growth' || !requested.gone.has(request.id),
  );
  const due = planned.filter(({ reason }) => reason?.rule === 'due');
  const timelines = firstTimelines(context, requested);
  const profiles = firstProfiles(context, requested);
  const firstOnes = [...firstHalf(timelines), ...firstHalf(profiles)];
  return [...due, ...firstOnes, ...planned, ...timelines, ...profiles];
};

/** Subjects of upstream events, then the most valuable refreshes, up to the number of calls. */
const choose = (context: ChoiceContext): Refreshes => {
  const { refreshCalls } = context;
  const calls = refreshCalls.growth + refreshCalls.creators;
  const worth = nothingNew(context) ? [] : refreshesByWorth(context, calls);
  const candidates = [...wantedRefreshes(context, calls), ...worth].filter(
    ({ request }) => (request.kind === 'growth' ? refreshCalls.growth : refreshCalls.creators) > 0,
  );
  const chosen = firstOf(candidates, calls);
  return {
    growth: chosen.filter(({ request }) => request.kind === 'growth'),
    creators: chosen.filter(({ request }) => request.kind === 'creator'),
  };
};

/** Refreshes per day, if they are planned as often as in the last week. */
const callsPerDay = ({ sqlite }: Lake, calls: number, now: number): number => {
  const runs = required(
    prepare(
      sqlite,
      `
      select count(distinct i.run_id) from run_items i join runs r on r.id = i.run_id
      where i.job in ('growth', 'creators') and r.started_at > ?`,
      'number',
    ).get(now - 7 * DAY_MS),
  );
  return calls * Math.max(1, runs / 7);
};

/**
 * True if refreshes were planned within the hour and no list was pulled since. The service's clock
 * stands still then, and a refresh would return the same.
 */
const nothingNew = ({ lake, clock, runId }: RefreshContext): boolean =>
  lake.sqlite
    .prepare(`
      select 1 from runs r where r.started_at > @since and r.id = (
        select max(run_id) from run_items where job in ('growth', 'creators') and run_id < @runId)
      and not exists (select 1 from capture c where c.run_id > r.id)`)
    .get({ runId, since: clock.now() - HOUR_MS }) !== undefined;

/**
 * Chooses the videos and creators to refresh, where a call is expected to teach most
 * (src/learn/budget). Chooses once per run for both jobs, because a creator's page also shows
 * videos. Both jobs share one budget, split by value.
 */
export class RefreshPlanner {
  readonly #context: RefreshContext;
  readonly #budgets: readonly RefreshBudget[];
  #chosen: Refreshes | undefined;

  /** @param budgets without shared platforms */
  constructor(context: RefreshContext, budgets: readonly RefreshBudget[]) {
    this.#context = context;
    this.#budgets = budgets;
  }

  get growth(): PlannedItem[] {
    return this.#choose().growth;
  }

  get creators(): PlannedItem[] {
    return this.#choose().creators;
  }

  #choose(): Refreshes {
    this.#chosen ??= this.#budgets
      .filter(({ calls }) => calls.growth + calls.creators > 0)
      .map(({ platforms, calls }) => choose({ ...this.#context, platforms, refreshCalls: calls }))
      .reduce<Refreshes>(
        (all, { growth, creators }) => ({
          growth: [...all.growth, ...growth],
          creators: [...all.creators, ...creators],
        }),
        { growth: [], creators: [] },
      );
    return this.#chosen;
  }
}
