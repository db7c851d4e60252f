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
import type { PlannedItem, Refreshes } from './job.ts';

interface RefreshContext {
  lake: Lake;
  clock: Clock;
  runId: number;
}

/** Refreshes of some platforms that a run may make. */
export interface RefreshBudget {
  readonly platforms: readonly Platform[];
  /** 0 for a job that does not run. */
  readonly calls: Readonly<Record<RefreshJob, number>>;
}

type ChoiceContext = RefreshContext & RefreshBudget;

/** Subjects of events that the upstream sent. Those without calls left stay wanted. */
const wantedRefreshes = (
  { lake, clock, calls, platforms }: ChoiceContext,
  limit: number,
): PlannedItem[] => {
  const callsOf = { video: calls.growth, creator: calls.creators };
  markOthersTaken(lake, Object.keys(callsOf), clock.now());
  const kinds = Object.entries(callsOf).flatMap(([kind, some]) => (some > 0 ? [kind] : []));
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
  select id as subject, platform, views from (${LISTED}) v
  where not exists (
    select 1 from video_snapshot s where s.video_key = v.key and s.source = ${sourceCode('growth')})
    and id not in (select value from json_each(@requested))
  order by views desc, id limit @limit`;
const FIRST_PROFILES = `
  select min(user) as subject, platform, sum(views) as views
  from (select l.*, coalesce(n.folded, l.user) as folded
    from (${LISTED}) l left join handle_spelling n on n.handle = l.user) v
  where folded <> '' and not exists (
    select 1 from creator c where c.platform = v.platform and c.handle in (${spellingsOf('v.folded')}))
    and (platform, folded) not in (select value ->> 'platform', value ->> 'folded' from json_each(@requested))
  group by platform, folded order by sum(views) desc, platform, folded limit @limit`;

/** Videos of the newest lists without a timeline and creators without a profile, most views first. */
const firstRefreshes = (
  { lake, calls, platforms }: ChoiceContext,
  { timelines, profiles }: RequestedLately,
): Refreshes => {
  const read = (sql: string, limit: number, requested: readonly unknown[]) =>
    prepare(lake.sqlite, sql, { subject: 'text', platform: 'platform', views: 'number' }).all({
      limit,
      platforms: JSON.stringify(platforms),
      requested: JSON.stringify(requested),
    });
  return {
    growth: read(FIRST_TIMELINES, calls.growth, [...timelines.keys()]).map(
      ({ subject, platform, views }) => ({
        request: { kind: 'growth', id: subject, platform },
        reason: { rule: 'first timeline', views },
      }),
    ),
    creators: read(FIRST_PROFILES, calls.creators, profiles).map(
      ({ subject, platform, views }) => ({
        request: { kind: 'creator', platform, handle: subject },
        reason: { rule: 'first profile', views },
      }),
    ),
  };
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
  { lake, calls, platforms }: ChoiceContext,
  { most, now, requested }: { most: number; now: number; requested: RequestedLately },
): PlannedItem[] => {
  const { showing, ...input } = lakeInput(lake, now, platforms, requested);
  const idOf = prepare(lake.sqlite, 'select id, platform from video where key = ?', {
    id: 'text',
    platform: 'platform',
  });
  const creatorOf = creatorNames(lake, input.tracked);
  const choices = chooseCalls({
    ...input,
    ...(calls.creators > 0 ? { showing } : {}),
    now,
    calls: most,
    callsPerDay: callsPerDay(lake, most, now),
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

/**
 * Refreshes that are due, then first ones. Half of the first ones come before the planner's next
 * best.
 */
const refreshesByWorth = (context: ChoiceContext, most: number): PlannedItem[] => {
  const now = currentInstant(context);
  const requested = requestedLately(context.lake, now);
  const planned = plannedRefreshes(context, { most, now, requested }).filter(
    ({ request }) => request.kind !== 'growth' || !requested.gone.has(request.id),
  );
  const due = planned.filter(({ reason }) => reason?.rule === 'due');
  const { growth, creators } = firstRefreshes(context, requested);
  return [...due, ...firstHalf(growth), ...firstHalf(creators), ...planned, ...growth, ...creators];
};

const isTimeline = ({ request }: PlannedItem): boolean => request.kind === 'growth';

/** Subjects of upstream events, then the most valuable refreshes, each once, up to the budget. */
const choose = (context: ChoiceContext): PlannedItem[] => {
  const { growth, creators } = context.calls;
  const most = growth + creators;
  if (most === 0) return [];
  const worth = nothingNew(context) ? [] : refreshesByWorth(context, most);
  const candidates = [...wantedRefreshes(context, most), ...worth].filter(
    (item) => (isTimeline(item) ? growth : creators) > 0,
  );
  const unique = Map.groupBy(candidates, subjectOf);
  return [...unique.values()].slice(0, most).flatMap(([first]) => first ?? []);
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
 * (src/learn/budget). Call it once per run for both jobs, because a creator's page also shows
 * videos. Both jobs share each budget, split by value.
 * @param budgets without shared platforms
 */
export const chooseRefreshes = (
  context: RefreshContext,
  budgets: readonly RefreshBudget[],
): Refreshes => {
  const chosen = budgets.flatMap((budget) => choose({ ...context, ...budget }));
  return {
    growth: chosen.filter(isTimeline),
    creators: chosen.filter((item) => !isTimeline(item)),
  };
};
