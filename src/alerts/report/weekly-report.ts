import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import { DAY_MS } from '../../base/durations.ts';
import { foldHandle, foldName } from '../../base/wire/folding.ts';
import type { ContentItem, HashtagItem } from '../../base/wire/shapes.ts';
import { eventsPage, type StoredEvent } from '../../lake/lists/event-list.ts';
import { hashtagsPage } from '../../lake/lists/hashtag-list.ts';
import { type ComputedLists, type ListMoment, UncachedLists } from '../../lake/lists/list-page.ts';
import { movements } from '../../lake/lists/movements.ts';
import { viewsGained } from '../../lake/lists/score.ts';
import { trendsPage } from '../../lake/lists/video-lists.ts';
import type { Lake } from '../../lake/open.ts';
import { type RowOf, required } from '../../lake/prepare.ts';
import { contentItems } from '../../lake/read/content-items.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';
import { subjectName } from '../../lake/read/subject-name.ts';
import { type TimelinePoint, timeline } from '../../lake/read/timeline.ts';
import { prepared } from '../../lake/statements.ts';
import { creatorsOfTag, hashtagsOfTag, videosOfTag } from '../../lake/watches/tag-lens.ts';
import type { Week } from './week.ts';

/** Subject of a report. `creator` is a handle on `platform`. */
export interface ReportQuery {
  readonly week: Week;
  readonly platform?: Platform | undefined;
  readonly creator?: string | undefined;
  /** Only what the watches of this tag cover. */
  readonly tag?: string | undefined;
}

/** A video and what it gained in the week. */
export interface Riser {
  readonly video: ContentItem;
  readonly gained: number;
  /** Start of the gain, Unix ms: of the week, of the video if it is new, or the first snapshot. */
  readonly since: number;
  /** Published in the week: it gained all of its views in it. */
  readonly isNew: boolean;
  readonly timeline: readonly TimelinePoint[];
}

/** A video of the last week's list that stands lower in this week's, or no more. */
export interface Faller {
  readonly video: ContentItem;
  readonly rankBefore: number;
  /** Null where it left the list. */
  readonly rankNow: number | null;
}

const CREATOR = {
  platform: 'platform',
  handle: 'text',
  followers: 'number',
  gained: 'number',
} as const;

/** A creator whose followers were counted at both ends of the week. */
export type RisingCreator = RowOf<typeof CREATOR>;

/** Hashtags of one platform over the week's seven days. `pulled`: the service's own figures. */
export interface TagTable {
  readonly platform: Platform;
  readonly pulled: boolean;
  readonly tags: readonly HashtagItem[];
}

/** A week, as known at its end, or at `madeAt` where it is not over. Instants are Unix ms. */
export interface WeeklyReport {
  readonly query: ReportQuery;
  readonly madeAt: number;
  readonly asOf: number;
  readonly risers: readonly Riser[];
  readonly fallers: readonly Faller[];
  readonly creators: readonly RisingCreator[];
  readonly tags: readonly TagTable[];
  /** The newest; `name` is the subject as people name it. */
  readonly events: readonly (StoredEvent & { readonly name: string })[];
  readonly eventsTotal: number;
  readonly measured: {
    readonly videos: number;
    readonly snapshots: number;
    /** Snapshots of each day. */
    readonly snapshotsByDay: readonly number[];
    readonly lists: number;
  };
}

const ROWS = 10;
const LIST_DEPTH = 100;
/** Hashtags of a tag are looked for among this many. */
const TAG_DEPTH = 1000;

const CREATORS = `
  select c.platform as platform, c.handle as handle, n.followers as followers,
    n.followers - b.followers as gained
  from creator c
  join creator_snapshot n on n.creator_key = c.key and n.observed_at = (
    select max(observed_at) from creator_snapshot s where s.creator_key = c.key
      and s.observed_at > @from and s.observed_at <= @to and s.followers is not null)
  join creator_snapshot b on b.creator_key = c.key and b.observed_at = (
    select max(observed_at) from creator_snapshot s where s.creator_key = c.key
      and s.observed_at <= @from and s.observed_at > @from - ${7 * DAY_MS} and s.followers is not null)
  where c.platform in (select value from json_each(@platforms)) and n.followers > b.followers
    and (@creator is null or c.handle in (${spellingsOf('@creator')}))
  order by gained desc, c.handle`;

const MEASURED = `
  select count(*) as snapshots, count(distinct s.video_key) as videos
  from video_snapshot s indexed by video_snapshot_observed_at join video v on v.key = s.video_key
  where s.observed_at >= @from and s.observed_at < @to
    and v.platform in (select value from json_each(@platforms))`;

const LISTS = `
  select count(*) from capture where completed_at >= @from and completed_at < @to
    and (platform = '' or platform in (select value from json_each(@platforms)))`;

const itemOf = (lake: Lake, key: number, asOf: number): ContentItem | undefined =>
  contentItems(lake, [{ key, rank: null, score: null, velocity: null }], asOf)[0];

type IsAbout = (video: ContentItem) => boolean;

/** Returns a function that is true for videos that the report is about. */
const aboutOf = (lake: Lake, { creator, tag }: ReportQuery): IsAbout => {
  const isOfTag = tag === undefined ? undefined : videosOfTag(lake, tag);
  return (item) =>
    (creator === undefined ||
      (item.user !== null && foldHandle(item.user) === foldHandle(creator))) &&
    (isOfTag === undefined || isOfTag(item));
};

type Span = Pick<Week, 'from' | 'to'>;

const risersOf = (lake: Lake, platforms: readonly Platform[], span: Span, isAbout: IsAbout) => {
  const gains: { key: number; gained: number; since: number; isNew: boolean }[] = [];
  for (const platform of platforms)
    for (const movement of movements(lake, platform, span, 'snapshots')) {
      const gained = viewsGained(movement, span.from, span.to - span.from);
      const { key, createdAt, baseAt } = movement;
      const isNew = createdAt !== null && createdAt > span.from;
      if (gained !== null && gained > 0)
        gains.push({
          key,
          gained: Math.round(gained),
          since: isNew ? createdAt : Math.max(baseAt ?? span.from, span.from),
          isNew,
        });
    }
  gains.sort((a, b) => b.gained - a.gained || a.key - b.key);
  const risers: Riser[] = [];
  for (const { key, ...rise } of gains) {
    const video = itemOf(lake, key, span.to);
    if (video === undefined || !isAbout(video)) continue;
    const inWeek = timeline(lake, key, span.to).filter(({ at }) => at >= span.from - DAY_MS);
    risers.push({ video, ...rise, timeline: inWeek });
    if (risers.length === ROWS) break;
  }
  return risers;
};

const fallersOf = async (
  lists: ComputedLists,
  platforms: readonly Platform[],
  span: Span,
  isAbout: IsAbout,
): Promise<Faller[]> => {
  const top = async (platform: Platform, asOf: number): Promise<ContentItem[]> => {
    const moment: ListMoment = { asOf, owner: '', limit: LIST_DEPTH, page: 1 };
    const list = await trendsPage(lists, { ...moment, platform, period: 'week' });
    return list.items;
  };
  const fallen: Faller[] = [];
  for (const platform of platforms) {
    const [before, now] = [await top(platform, span.from), await top(platform, span.to)];
    if (now.length === 0) continue; // no list to have fallen in
    const rankNow = new Map(now.map(({ id, rank }, index) => [id, rank ?? index + 1]));
    for (const [index, video] of before.entries()) {
      const rankBefore = video.rank ?? index + 1;
      const rank = rankNow.get(video.id) ?? null;
      if ((rank === null || rank > rankBefore) && isAbout(video))
        fallen.push({ video, rankBefore, rankNow: rank });
    }
  }
  const depthOf = ({ rankBefore, rankNow }: Faller): number =>
    (rankNow ?? LIST_DEPTH + 1) - rankBefore;
  return fallen
    .toSorted((a, b) => depthOf(b) - depthOf(a) || a.rankBefore - b.rankBefore)
    .slice(0, ROWS);
};

const tagsOf = async (
  lists: ComputedLists,
  platforms: readonly Platform[],
  { asOf, tag }: { readonly asOf: number; readonly tag: string | undefined },
): Promise<TagTable[]> => {
  const isOfTag = tag === undefined ? undefined : hashtagsOfTag(lists.lake, tag);
  const limit = tag === undefined ? ROWS : TAG_DEPTH;
  const tables: TagTable[] = [];
  for (const platform of platforms) {
    const moment: ListMoment = { asOf, owner: '', limit, page: 1 };
    const range = { dateRange: '7d', windowMs: 7 * DAY_MS };
    const list = await hashtagsPage(lists, { ...moment, ...range, platform });
    const tags = list.items.filter(isOfTag ?? (() => true)).slice(0, ROWS);
    if (tags.length > 0) tables.push({ platform, pulled: list.pulledAt !== null, tags });
  }
  return tables;
};

/**
 * The week's results from the lake as known at its end; events count in the week they occurred.
 * Gains are counted between snapshots of the lake; ranks are those of its weekly trends; hashtags
 * and their changes follow the rules of `GET /hashtags`.
 */
export const weeklyReport = async (
  lake: Lake,
  query: ReportQuery,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): Promise<WeeklyReport> => {
  const { week, platform, creator, tag } = query;
  const madeAt = clock.now();
  const asOf = Math.min(week.to, madeAt);
  const span = { from: week.from, to: asOf };
  const platforms = platform === undefined ? PLATFORMS : [platform];
  const lists = new UncachedLists(lake);
  const isAbout = aboutOf(lake, query);
  const isFollowed = tag === undefined ? undefined : creatorsOfTag(lake, tag);
  const among = { platforms: JSON.stringify(platforms) };
  const measuredIn = (within: Span) =>
    required(
      prepared(lake, MEASURED, { videos: 'number', snapshots: 'number' }).get({
        ...within,
        ...among,
      }),
    );
  // what stands at the week's last instant, the next one's first, ends a growth and is counted there
  const counted = { from: week.from, to: Math.min(week.to, madeAt + 1) };
  const measured = measuredIn(counted);
  const dayOf = (day: number): Span => {
    const from = week.from + day * DAY_MS;
    return { from, to: Math.max(from, Math.min(from + DAY_MS, counted.to)) };
  };
  const snapshotsByDay = Array.from(
    { length: (week.to - week.from) / DAY_MS },
    (_, day) => measuredIn(dayOf(day)).snapshots,
  );
  const noticed = eventsPage(lake, {
    ...(platform === undefined ? {} : { platform }),
    since: week.from,
    until: counted.to - 1,
    limit: 2 * ROWS,
    page: 1,
    ...(tag === undefined ? {} : { tag: foldName(tag) }),
    asOf: madeAt, // a sync of the next week, or an import, notices what occurred in this one
  });
  const creators = prepared(lake, CREATORS, CREATOR).all({
    ...span,
    ...among,
    creator: creator === undefined ? null : foldHandle(creator),
  });
  return {
    query,
    madeAt,
    asOf,
    risers: risersOf(lake, platforms, span, isAbout),
    fallers: await fallersOf(lists, platforms, span, isAbout),
    creators: creators.filter(isFollowed ?? (() => true)).slice(0, ROWS),
    tags: await tagsOf(lists, platforms, { asOf, tag }),
    events: noticed.items.map((event) => ({ ...event, name: subjectName(lake, event.subject) })),
    eventsTotal: noticed.total,
    measured: {
      ...measured,
      snapshotsByDay,
      lists: required(prepared(lake, LISTS, 'number').get({ ...counted, ...among })),
    },
  };
};
