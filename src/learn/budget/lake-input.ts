import { PLATFORMS, type Platform, sourceCode } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { spellingsOf } from '../../lake/read/spellings.ts';
import { type CreatorShowing, learnShowing, type PageSeen } from './creator-pages.ts';
import { curveLibrary, type PastCurve } from './curves.ts';
import { PlanLadder } from './price.ts';
import { readTracked, USUAL_AGE_AT_FIRST_SIGHT_MS, type UsualViews } from './read-tracked.ts';
import { requestedLately } from './requested-lately.ts';
import type { TrackedVideos } from './tracked.ts';

/** A lake's tracked videos, ready for `chooseCalls`, and what its numbers stand for. */
export interface LakeInput {
  readonly tracked: TrackedVideos;
  /** When a list will show a video anyway (Unix ms), by the video's key. */
  readonly listRefreshAt: ReadonlyMap<number, number>;
  /** When a creator's page was requested last (Unix ms), by group. */
  readonly pageAt: ReadonlyMap<number, number>;
  /** One for each of PLATFORMS. */
  readonly ladders: readonly PlanLadder[];
  readonly showing: CreatorShowing;
}

/** A list keeps at least this share of its videos, or it promises nothing. */
const LEAST_KEPT = 0.5;

// For each list: its newest refresh, the time since the one before, and the share of that one's videos
// still on it. A list is expected again after the same time.
const LISTS = `
  with refreshes as (
    select key, captured_at,
      lead(key) over list as before_key, lead(captured_at) over list as before_at,
      row_number() over list as newest
    from capture where list in ('feed', 'trends') and captured_at > @since and completed_at is not null
    window list as (partition by list, platform, period order by captured_at desc)
  )
  select key, 2 * captured_at - before_at as next_at from refreshes
  where newest = 1 and 2 * captured_at - before_at > @now and @leastKept * (
    select count(*) from ranking where capture_key = before_key
  ) <= (
    select count(*) from ranking b where b.capture_key = before_key
      and exists (select 1 from ranking r where r.video_key = b.video_key and r.capture_key = refreshes.key)
  )`;

/** When lists that keep their videos will show them again, by the video's key. */
const readListRefreshes = ({ sqlite }: Lake, now: number): ReadonlyMap<number, number> => {
  const lists = prepare(sqlite, LISTS, { key: 'number', next_at: 'number' }).all({
    now,
    since: now - 7 * DAY_MS,
    leastKept: LEAST_KEPT,
  });
  const videosOf = prepare(sqlite, 'select video_key from ranking where capture_key = ?', 'number');
  const nextAt = new Map<number, number>();
  for (const { key, next_at } of lists)
    for (const video of videosOf.all(key))
      nextAt.set(video, Math.min(nextAt.get(video) ?? next_at, next_at));
  return nextAt;
};

/** Timelines that teach, for each platform, and how many videos are tried for them. */
const TEACHING = 400;
const TRIED = 4000;
/** A platform with fewer videos has few. */
const FEW = 10 * TRIED;

// By the time they were first seen; of a platform with few videos by its own index, not past all others.
const recentVideos = ({ sqlite }: Lake, platform: Platform) => {
  const counted = prepare(
    sqlite,
    'select count(*) from (select 1 from video where platform = ? limit ?)',
    'number',
  );
  const few = (counted.get(platform, FEW) ?? 0) < FEW;
  const filter = few
    ? 'platform = @platform and +first_seen_at > @since'
    : '+platform = @platform and first_seen_at > @since';
  return prepare(
    sqlite,
    `select key, coalesce(created_at, first_seen_at - @usualAge) as born from video
     where ${filter} order by first_seen_at desc, key desc limit @tried`,
    { key: 'number', born: 'number' },
  );
};

/** Recent timelines of at least three counts, spread evenly over the videos of the last months. */
const readCurves = (lake: Lake, now: number, usual: UsualViews): PastCurve[] => {
  const timeline = prepare(
    lake.sqlite,
    'select observed_at, views from video_snapshot where video_key = ? and views is not null order by observed_at',
    ['number', 'number'],
  );
  return PLATFORMS.flatMap((platform) => {
    const videos = recentVideos(lake, platform).all({
      platform,
      since: now - 120 * DAY_MS,
      usualAge: USUAL_AGE_AT_FIRST_SIGHT_MS,
      tried: TRIED,
    });
    const curves = videos.flatMap(({ key, born }) => {
      const points = timeline.all(key);
      if (points.length < 3) return [];
      const ageHours = points.map(([at]) => (at - born) / HOUR_MS);
      const views = points.map(([, count]) => count);
      return [{ platform, ageHours, views, creatorUsual: usual(key, views.at(-1) ?? 0) }];
    });
    const stride = Math.max(1, curves.length / TEACHING);
    const taken = Math.min(TEACHING, curves.length);
    return Array.from({ length: taken }, (_, i) => curves[Math.floor(i * stride)] as PastCurve);
  });
};

/** So many of the last creator calls teach what such calls show. */
const PAGES = 300;
/** The service's clock may differ from ours by so much. */
const CLOCK_SLACK_MS = HOUR_MS;

/** Results of the last creator calls. */
const readPages = ({ sqlite }: Lake): PageSeen[] => {
  // `cross` keeps the order of the tables: newest calls first, until there are enough
  const calls = prepare(
    sqlite,
    `select i.request_json ->> 'platform', i.request_json ->> 'handle', c.sent_at, c.finished_at
       from calls c cross join run_items i using (run_id, job, request)
       where c.job = 'creators' and c.status = 200 order by c.id desc limit ${PAGES}`,
    ['platform', 'text', 'number', 'number'],
  ).all();
  const ranked = prepare(
    sqlite,
    `select exists (
         select 1 from video_snapshot s where s.video_key = v.key and s.source = @source
           and s.observed_at between @from and @to
       ) from video v
       where platform = @platform and first_seen_at < @from
         and user in (${spellingsOf('@folded')})
       order by coalesce(created_at, first_seen_at) desc, key limit 200`,
    'number',
  );
  return calls.map(([platform, handle, sentAt, finishedAt]) => {
    const shown = ranked.all({
      platform,
      folded: foldHandle(handle),
      source: sourceCode('creator'),
      from: sentAt - CLOCK_SLACK_MS,
      to: finishedAt + CLOCK_SLACK_MS,
    });
    return {
      tracked: shown.length,
      shown: shown.flatMap((was, rank) => (was === 1 ? [rank] : [])),
    };
  });
};

/** Ladders for platforms without curves. Built once per process, as each takes 0.1 s. */
const priorLadder = (platform: Platform): PlanLadder => new PlanLadder(curveLibrary(platform, []));
const PRIOR_LADDERS: Record<Platform, PlanLadder> = {
  tiktok: priorLadder('tiktok'),
  instagram: priorLadder('instagram'),
  youtube: priorLadder('youtube'),
};

/**
 * Reads the input of `chooseCalls` as of `now` (Unix ms). Needs 34 bytes a video while it reads, 22
 * afterwards.
 * @param requested recent requests, including those that brought no count
 */
export const lakeInput = (
  lake: Lake,
  now: number,
  platforms: readonly Platform[] = PLATFORMS,
  requested = requestedLately(lake, now),
): LakeInput => {
  const { tracked, pageAt, usual } = readTracked(lake, platforms, requested);
  const curves = readCurves(lake, now, usual);
  const ladders = PLATFORMS.map((platform) => {
    const own = curves.filter((curve) => curve.platform === platform);
    return own.length === 0 ? PRIOR_LADDERS[platform] : new PlanLadder(curveLibrary(platform, own));
  });
  const showing = learnShowing(readPages(lake));
  return { tracked, pageAt, listRefreshAt: readListRefreshes(lake, now), ladders, showing };
};
