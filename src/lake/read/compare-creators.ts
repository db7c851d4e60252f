import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../open.ts';
import type { RowOf } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { knownBy, tagKeysThen } from './as-of-sql.ts';
import { creatorProfile } from './creator-profile.ts';
import { spellingsOf } from './spellings.ts';

/** Most creators side by side. */
export const MOST_COMPARED = 6;
/** Ages at which views of videos are compared, in days. */
const COMPARED_AGES = [1, 3, 7, 30] as const;

/** Views of a creator's videos at an age. */
export interface ViewsAtAge {
  readonly ageDays: number;
  /** Videos with a known count around that age. */
  readonly videos: number;
  readonly median: number | null;
  readonly best: number | null;
}

/** A creator's videos published at an hour of the day. */
export interface HourOfDay {
  /** 0 to 23, UTC. */
  readonly hour: number;
  readonly videos: number;
  readonly medianViews: number | null;
}

/** A creator's figures as of an instant. Videos are those published since the start. */
export interface ComparedCreator {
  readonly platform: Platform;
  readonly handle: string;
  readonly followers: number | null;
  /** Change since the last count at or before the start, else since the first one; null: one count. */
  readonly followersGained: number | null;
  /** Instant of the count that the change begins at, Unix ms; null: no change. */
  readonly followersGainedSince: number | null;
  /** Videos in the lake: the lake may not know all of a creator. */
  readonly videos: number;
  readonly videosPerWeek: number;
  readonly viewsByAge: readonly ViewsAtAge[];
  /** Median of likes / views in percent, of videos with at least 100 views. */
  readonly engagementRate: number | null;
  /** Share of the videos that appeared in a pulled list, 0 to 1. */
  readonly onLists: number | null;
  /** Most used first. */
  readonly hashtags: readonly { readonly tag: string; readonly videos: number }[];
  /** Hours with at least two videos, best median first. */
  readonly hours: readonly HourOfDay[];
  /** Followers over time, oldest first. Unix ms. */
  readonly growth: readonly { readonly at: number; readonly followers: number }[];
}

/** Creators to compare, over videos published from `since` to `at` (Unix ms). */
export interface CompareQuery {
  readonly platform: Platform;
  readonly handle: string;
  readonly since: number;
  readonly at: number;
}

const OF_CREATOR = `v.platform = @platform and v.user in (${spellingsOf('@folded')})
  and v.created_at >= @since and v.created_at <= @at and ${knownBy('v', '@at')}`;

const VIDEOS = `
  select v.key, v.created_at as createdAt,
    exists (select 1 from ranking r join capture c on c.key = r.capture_key
      where r.video_key = v.key and c.captured_at <= @at) as isListed
  from video v where ${OF_CREATOR}`;

const POINTS = `
  select observed_at as at, views, likes from video_snapshot
  where video_key = ? and observed_at <= ? and views is not null order by observed_at`;

const TAGS = `
  select h.tag, count(*) as videos from video v
    join json_each('[' || coalesce(${tagKeysThen('@at')}, '') || ']') t join hashtag h on h.key = t.value
  where ${OF_CREATOR}
  group by h.key order by videos desc, h.tag limit 10`;

const POINT = { at: 'number', views: 'number', likes: 'number?' } as const;
type Point = RowOf<typeof POINT>;

interface KnownVideo {
  readonly createdAt: number;
  readonly isListed: boolean;
  readonly points: readonly Point[];
}

const LEAST_VIEWS = 100;
const MOST_HOURS = 3;

const medianOf = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [upper, lower] = [sorted[middle], sorted[sorted.length % 2 === 1 ? middle : middle - 1]];
  return upper === undefined || lower === undefined ? null : Math.round((upper + lower) / 2);
};

/**
 * Views at an instant, interpolated between the counts around it. Undefined outside the counts, and
 * where they lie further apart than the age itself.
 */
const viewsAt = (points: readonly Point[], at: number, ageMs: number): number | undefined => {
  const next = points.findIndex((point) => point.at >= at);
  const [before, after] = [points[next - 1], points[next]];
  if (after?.at === at) return after.views;
  if (before === undefined || after === undefined || after.at - before.at > ageMs) return undefined;
  return before.views + ((after.views - before.views) * (at - before.at)) / (after.at - before.at);
};

const viewsByAge = (videos: readonly KnownVideo[]): ViewsAtAge[] =>
  COMPARED_AGES.map((ageDays) => {
    const ageMs = ageDays * DAY_MS;
    const views = videos.flatMap(
      ({ createdAt, points }) => viewsAt(points, createdAt + ageMs, ageMs) ?? [],
    );
    return {
      ageDays,
      videos: views.length,
      median: medianOf(views),
      best: views.length === 0 ? null : Math.round(Math.max(...views)),
    };
  });

const newestViews = ({ points }: KnownVideo): number[] => {
  const newest = points.at(-1);
  return newest === undefined ? [] : [newest.views];
};

const hoursOf = (videos: readonly KnownVideo[]): HourOfDay[] =>
  [...Map.groupBy(videos, ({ createdAt }) => Math.floor(createdAt / HOUR_MS) % 24)]
    .filter(([, some]) => some.length > 1)
    .map(([hour, some]) => ({
      hour,
      videos: some.length,
      medianViews: medianOf(some.flatMap(newestViews)),
    }))
    .sort((a, b) => (b.medianViews ?? 0) - (a.medianViews ?? 0) || a.hour - b.hour)
    .slice(0, MOST_HOURS);

const ratesOf = (videos: readonly KnownVideo[]): number | null => {
  const rates = videos.flatMap(({ points }) => {
    const newest = points.at(-1);
    return newest === undefined || newest.likes === null || newest.views < LEAST_VIEWS
      ? []
      : [(10_000 * newest.likes) / newest.views];
  });
  const median = medianOf(rates.filter((rate) => rate <= 10_000));
  return median === null ? null : median / 100;
};

/** Figures of one creator; undefined if the lake knows nothing of them. */
export const compareCreator = (lake: Lake, query: CompareQuery): ComparedCreator | undefined => {
  const { platform, handle, since, at } = query;
  const profile = creatorProfile(lake, { platform, handle, asOf: at, limit: 1 });
  if (profile === undefined) return undefined;
  const named = { platform, folded: foldHandle(handle), since, at };
  const points = prepared(lake, POINTS, POINT);
  const videos = prepared(lake, VIDEOS, { key: 'number', createdAt: 'number', isListed: 'number' })
    .all(named)
    .map(({ key, createdAt, isListed }) => ({
      createdAt,
      isListed: isListed === 1,
      points: points.all(key, at),
    }));
  const growth = profile.growth.flatMap(({ at: countedAt, followers }) =>
    followers === null ? [] : [{ at: countedAt, followers }],
  );
  const start =
    growth.length < 2 || profile.followers === null
      ? undefined
      : (growth.findLast((point) => point.at <= since) ?? growth[0]);
  const tags = prepared(lake, TAGS, { tag: 'text', videos: 'number' });
  return {
    platform,
    handle: profile.handle,
    followers: profile.followers,
    followersGained:
      start === undefined || profile.followers === null
        ? null
        : profile.followers - start.followers,
    followersGainedSince: start?.at ?? null,
    videos: videos.length,
    videosPerWeek: Math.round((videos.length / Math.max(1, (at - since) / (7 * DAY_MS))) * 10) / 10,
    viewsByAge: viewsByAge(videos),
    engagementRate: ratesOf(videos),
    onLists:
      videos.length === 0 ? null : videos.filter(({ isListed }) => isListed).length / videos.length,
    hashtags: tags.all(named),
    hours: hoursOf(videos),
    growth: growth.filter((point) => point.at >= since),
  };
};

/** One figure of compared creators, with its type in files. */
export interface ComparedLine {
  readonly label: string;
  readonly type: 'INT64' | 'DOUBLE' | 'UTF8';
  readonly of: (creator: ComparedCreator) => number | string | null;
}

const text = (label: string, of: (creator: ComparedCreator) => string | null): ComparedLine => ({
  label,
  type: 'UTF8',
  of,
});
const whole = (label: string, of: (creator: ComparedCreator) => number | null): ComparedLine => ({
  label,
  type: 'INT64',
  of,
});

const agesOf = (ageDays: number): ComparedLine[] => {
  const at = ({ viewsByAge }: ComparedCreator) =>
    viewsByAge.find((each) => each.ageDays === ageDays);
  const span = ageDays === 1 ? '1 day' : `${ageDays} days`;
  return [
    whole(`median views after ${span}`, (creator) => at(creator)?.median ?? null),
    whole(`best views after ${span}`, (creator) => at(creator)?.best ?? null),
  ];
};

/** Figures of compared creators, in order. */
export const COMPARED_LINES: readonly ComparedLine[] = [
  whole('followers', ({ followers }) => followers),
  whole('followers gained', ({ followersGained }) => followersGained),
  text('gained since', ({ followersGainedSince: at }) => (at === null ? null : dateOf(at))),
  whole('videos', ({ videos }) => videos),
  { label: 'videos a week', type: 'DOUBLE', of: ({ videosPerWeek }) => videosPerWeek },
  ...COMPARED_AGES.flatMap(agesOf),
  text('median engagement', ({ engagementRate }) =>
    engagementRate === null ? null : `${engagementRate.toFixed(1)} %`,
  ),
  text('videos on lists', ({ onLists }) =>
    onLists === null ? null : `${Math.round(100 * onLists)} %`,
  ),
  text('hashtags', ({ hashtags }) =>
    hashtags
      .slice(0, 3)
      .map(({ tag }) => `#${tag}`)
      .join(' '),
  ),
  text('best hours (UTC)', ({ hours }) => hours.map(({ hour }) => `${hour} h`).join(', ')),
];
