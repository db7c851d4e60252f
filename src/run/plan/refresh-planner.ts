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

/** The run that refreshes are chosen for. */
interface RefreshContext {
  lake: Lake;
  clock: Clock;
  runId: number;
}

/** What refreshes of some platforms are chosen from, and how many calls they may be. */
interface ChoiceContext extends RefreshContext {
  platforms: readonly Platform[];
  /** Calls the month's budget lets each job spend in this run; 0 for a job it does not make. */
  refreshCalls: Readonly<Record<RefreshJob, number>>;
}

/** The refreshes of one run: timelines of single videos, and profiles that show many. */
interface Refreshes {
  growth: PlannedItem[];
  creators: PlannedItem[];
}

/** What the upstream itself told of; what this run has no calls for stays wanted. */
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

/**
 * Videos of the newest pulled lists whose past nobody asked for yet, most views first: a timeline
 * shows all of it.
 */
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
  const rows = prepare<{ id: string; platform: Platform; views: number }>(
    lake.sqlite,
    FIRST_TIMELINES,
    { id: 'text', platform: 'text', views: 'number' },
  );
  return rows.all(query).map(({ id, platform, views }) => ({
    request: { kind: 'growth', id, platform },
    reason: { rule: 'first timeline', views },
  }));
};

/** Creators of those videos whose profile nobody asked for yet, most listed views first. */
const firstProfiles = (
  { lake, refreshCalls, platforms }: ChoiceContext,
  { profiles }: RequestedLately,
): PlannedItem[] => {
  const rows = prepare<{ platform: Platform; handle: string; views: number }>(
    lake.sqlite,
    FIRST_PROFILES,
    { platform: 'text', handle: 'text', views: 'number' },
  );
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

/** The present by the run's own lists, whose clock the counts are true at; ours without any. */
const currentInstant = ({ lake, clock, runId }: RefreshContext): number =>
  required(
    prepare(lake.sqlite, 'select max(completed_at) from capture where run_id = ?', 'number?').get(
      runId,
    ),
  ) ?? clock.now();

/** The planner's choices as requests as of `now`, best first. */
const plannedRefreshes = (
  { lake, refreshCalls, platforms }: ChoiceContext,
  { calls, now, requested }: { calls: number; now: number; requested: RequestedLately },
): PlannedItem[] => {
  const { showing, ...input } = lakeInput(lake, now, platforms, requested);
  const idOf = prepare<{ id: string; platform: Platform }>(
    lake.sqlite,
    'select id, platform from video where key = ?',
    { id: 'text', platform: 'text' },
  );
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

/** What tells requests apart: two spellings of a handle ask for one creator. */
const subjectOf = ({ request }: PlannedItem): string =>
  requestLine(
    request.kind === 'creator' ? { ...request, handle: foldHandle(request.handle) } : request,
  );

/** Each request once, up to `calls` of them. */
const firstOf = (items: readonly PlannedItem[], calls: number): PlannedItem[] => {
  const byLine = new Map<string, PlannedItem>();
  for (const item of items) {
    const line = subjectOf(item);
    if (byLine.size < calls && !byLine.has(line)) byLine.set(line, item);
  }
  return [...byLine.values()];
};

/**
 * Refreshes that are worth their price; then first ones, half of them before the planner's next best
 * and the rest after.
 */
const refreshesByWorth = (context: ChoiceContext, calls: number): PlannedItem[] => {
  const now = currentInstant(context);
  const requested = requestedLately(context.lake, now);
  const planned = plannedRefreshes(context, { calls, now, requested }).filter(
    ({ request }) => request.kind !== 'growth' || !requested.gone.has(request.id),
  );
  const due = planned.filter(({ reason }) => reason?.rule === 'due');
  const [timelines, profiles] = [
    firstTimelines(context, requested),
    firstProfiles(context, requested),
  ];
  const some = [...firstHalf(timelines), ...firstHalf(profiles)];
  return [...due, ...some, ...planned, ...timelines, ...profiles];
};

/** What the upstream's events named, and then what is worth most, as far as the calls reach. */
const choose = (context: ChoiceContext): Refreshes => {
  const { refreshCalls } = context;
  const calls = refreshCalls.growth + refreshCalls.creators;
  const worth = nothingNew(context) ? [] : refreshesByWorth(context, calls);
  const made = [...wantedRefreshes(context, calls), ...worth].filter(
    ({ request }) => (request.kind === 'growth' ? refreshCalls.growth : refreshCalls.creators) > 0,
  );
  const chosen = firstOf(made, calls);
  return {
    growth: chosen.filter(({ request }) => request.kind === 'growth'),
    creators: chosen.filter(({ request }) => request.kind === 'creator'),
  };
};

/** How many refreshes a day has at this budget: as often as they were planned in the last week. */
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
 * True when refreshes were planned within the hour and no list was pulled since: the service's clock
 * stands still, and they would show what they showed before.
 */
const nothingNew = ({ lake, clock, runId }: RefreshContext): boolean =>
  lake.sqlite
    .prepare(`
      select 1 from runs r where r.started_at > @since and r.id = (
        select max(run_id) from run_items where job in ('growth', 'creators') and run_id < @runId)
      and not exists (select 1 from capture c where c.run_id > r.id)`)
    .get({ runId, since: clock.now() - HOUR_MS }) !== undefined;

/**
 * Which videos and creators a run refreshes: where a call is expected to teach most, over both kinds
 * (src/learn/budget). Chosen once for a run, by whichever of its two jobs plans first: what a creator's page
 * will show anyway is not asked for again video by video. The calls of both jobs are one sum, divided
 * by worth.
 */
export class RefreshPlanner {
  readonly #context: RefreshContext;
  readonly #budgets: readonly RefreshBudget[];
  #chosen: Refreshes | undefined;

  /** @param budgets none of which is about a platform of another */
  constructor(context: RefreshContext, budgets: readonly RefreshBudget[]) {
    this.#context = context;
    this.#budgets = budgets;
  }

  /** Timelines of single videos: what the growth job asks for. */
  get growth(): PlannedItem[] {
    return this.#choose().growth;
  }

  /** Profiles that show many videos: what the creators job asks for. */
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
