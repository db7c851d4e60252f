import { type Platform, sourceCode } from '../../schema/vocabulary.ts';
import { requestLine } from '../api/ask.ts';
import { chooseCalls } from '../budget/choice.ts';
import { lakeInput } from '../budget/lake-input.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import type { Lake } from '../lake/open.ts';
import { markOthersTaken, markTaken, wantedSubjects } from '../webhooks/wanted-subjects.ts';
import { platformOfId } from '../wire/fields.ts';
import type { PlanContext, PlannedItem } from './job.ts';

/** The looks of one run: timelines of single videos, and profiles that show many. */
interface Looks {
  growth: PlannedItem[];
  creators: PlannedItem[];
}

/** What the upstream itself said something happened to; what this run has no calls for stays wanted. */
const wantedLooks = ({ lake, clock, lookCalls }: PlanContext, limit: number): PlannedItem[] => {
  const calls = { video: lookCalls.growth, creator: lookCalls.creators };
  markOthersTaken(lake, Object.keys(calls), clock.now());
  const kinds = Object.entries(calls).flatMap(([kind, some]) => (some > 0 ? [kind] : []));
  return wantedSubjects(lake, kinds, limit).flatMap((wanted): PlannedItem[] => {
    const { kind, id, wantedAt } = wanted;
    const platform = wanted.platform ?? platformOfId(id);
    markTaken(lake, wanted, clock.now());
    if (platform === undefined) return [];
    const reason = { rule: 'event of the upstream', wantedAt };
    return kind === 'video'
      ? [{ ask: { kind: 'growth', id, platform }, reason }]
      : [{ ask: { kind: 'creator', platform, handle: id }, reason }];
  });
};

const LISTED = `
  select v.key, v.id, v.platform, v.user, v.views from video v
  where v.views > 0 and v.key in (
    select r.video_key from capture c join ranking r on r.capture_key = c.key
    where c.run_id = (
      select run_id from capture where run_id is not null and list <> 'hashtags'
      order by run_id desc limit 1))`;
const FIRST_TIMELINES = `
  select id, platform, views from (${LISTED}) v
  where not exists (select 1 from video_snapshot s where s.video_key = v.key and s.source = @growth)
  order by views desc, id limit @limit`;
const FIRST_PROFILES = `
  select platform, user as handle, sum(views) as views from (${LISTED}) v
  where user not in ('', '@') and not exists (
    select 1 from creator c where c.platform = v.platform
      and c.handle = iif(v.user glob '@*', substr(v.user, 2), v.user))
  group by platform, user order by sum(views) desc, platform, user limit @limit`;

/** Videos of the newest pulled lists whose past nobody asked for yet, most views first: a timeline shows all of it. */
const firstTimelines = ({ lake, lookCalls }: PlanContext): PlannedItem[] => {
  const asked = { growth: sourceCode('growth'), limit: lookCalls.growth };
  const rows = lake.sqlite.prepare(FIRST_TIMELINES).all(asked);
  return (rows as { id: string; platform: Platform; views: number }[]).map(
    ({ id, platform, views }) => ({
      ask: { kind: 'growth', id, platform },
      reason: { rule: 'first timeline', views },
    }),
  );
};

/** Creators of those videos whose profile nobody asked for yet, most listed views first. */
const firstProfiles = ({ lake, lookCalls }: PlanContext): PlannedItem[] => {
  const rows = lake.sqlite.prepare(FIRST_PROFILES).all({ limit: lookCalls.creators });
  return (rows as { platform: Platform; handle: string; views: number }[]).map(
    ({ platform, handle, views }) => ({
      ask: { kind: 'creator', platform, handle },
      reason: { rule: 'first profile', views },
    }),
  );
};

const firstHalf = (items: readonly PlannedItem[]): PlannedItem[] =>
  items.slice(0, Math.ceil(items.length / 2));

/** The present by the run's own lists, whose clock the counts are true at; ours without any. */
const presentOf = ({ lake, clock, runId }: PlanContext): number =>
  (lake.sqlite
    .prepare('select max(completed_at) from capture where run_id = ?')
    .pluck()
    .get(runId) as number | null) ?? clock.now();

/** The planner's choices as requests, best first. */
const plannedLooks = (context: PlanContext, calls: number): PlannedItem[] => {
  const { lake, lookCalls } = context;
  const now = presentOf(context);
  const { showing, ...input } = lakeInput(lake, now);
  const idOf = lake.sqlite.prepare('select id, platform from video where key = ?');
  const choices = chooseCalls({
    ...input,
    ...(lookCalls.creators > 0 ? { showing } : {}),
    now,
    calls,
    callsPerDay: callsPerDay(lake, calls, now),
  });
  return choices.flatMap((choice): PlannedItem[] => {
    const reason = { ...choice.reason };
    if (choice.kind === 'growth') {
      const key = input.videoKeys[choice.video];
      const video = idOf.get(key) as { id: string; platform: Platform };
      return [{ ask: { kind: 'growth', ...video }, reason }];
    }
    const creator = input.creators[choice.creator];
    return creator === undefined ? [] : [{ ask: { kind: 'creator', ...creator }, reason }];
  });
};

/** Each request once, up to `calls` of them. */
const firstOf = (items: readonly PlannedItem[], calls: number): PlannedItem[] => {
  const byRequest = new Map<string, PlannedItem>();
  for (const item of items) {
    const request = requestLine(item.ask);
    if (byRequest.size < calls && !byRequest.has(request)) byRequest.set(request, item);
  }
  return [...byRequest.values()];
};

/**
 * Looks that are worth their price; then first looks, half of them before the planner's next best
 * and the rest after.
 */
const looksByWorth = (context: PlanContext, calls: number): PlannedItem[] => {
  const planned = plannedLooks(context, calls);
  const due = planned.filter(({ reason }) => reason?.rule === 'due');
  const [timelines, profiles] = [firstTimelines(context), firstProfiles(context)];
  const some = [...firstHalf(timelines), ...firstHalf(profiles)];
  return [...due, ...some, ...planned, ...timelines, ...profiles];
};

/** What the upstream's events named, and then what is worth most, as far as the calls reach. */
const choose = (context: PlanContext): Looks => {
  const { lookCalls } = context;
  const calls = lookCalls.growth + lookCalls.creators;
  const worth = nothingNew(context) ? [] : looksByWorth(context, calls);
  const made = [...wantedLooks(context, calls), ...worth].filter(
    ({ ask }) => (ask.kind === 'growth' ? lookCalls.growth : lookCalls.creators) > 0,
  );
  const chosen = firstOf(made, calls);
  return {
    growth: chosen.filter(({ ask }) => ask.kind === 'growth'),
    creators: chosen.filter(({ ask }) => ask.kind === 'creator'),
  };
};

/** How many looks a day has at this budget: as often as looks were planned in the last week. */
const callsPerDay = ({ sqlite }: Lake, calls: number, now: number): number => {
  const runs = sqlite
    .prepare(`
      select count(distinct i.run_id) from run_items i join runs r on r.id = i.run_id
      where i.job in ('growth', 'creators') and r.started_at > ?`)
    .pluck()
    .get(now - 7 * DAY_MS) as number;
  return calls * Math.max(1, runs / 7);
};

/**
 * True when looks were planned within the hour and no list was pulled since: the service's clock
 * stands still, and looks would show what they showed before.
 */
const nothingNew = ({ lake, clock, runId }: PlanContext): boolean =>
  lake.sqlite
    .prepare(`
      select 1 from runs r where r.started_at > @since and r.id = (
        select max(run_id) from run_items where job in ('growth', 'creators') and run_id < @runId)
      and not exists (select 1 from capture c where c.run_id > r.id)`)
    .get({ runId, since: clock.now() - HOUR_MS }) !== undefined;

const CHOSEN = new WeakMap<Lake, { runId: number; looks: Looks }>();

/**
 * Which videos and creators this run looks at: where a call is expected to teach most, over both
 * kinds (src/budget). Made once for a run: what a creator's page will show anyway is not asked for
 * again video by video. The calls of both jobs are one sum, divided by worth.
 */
export const chooseLooks = (context: PlanContext): Looks => {
  const { lake, runId, lookCalls } = context;
  const known = CHOSEN.get(lake);
  if (known?.runId === runId) return known.looks;
  const none = lookCalls.growth + lookCalls.creators === 0;
  const looks = none ? { growth: [], creators: [] } : choose(context);
  CHOSEN.set(lake, { runId, looks });
  return looks;
};
