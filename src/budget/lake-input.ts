import { PLATFORMS, type Platform, sourceCode } from '../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { lastKnownAt } from '../history/last-known.ts';
import { spellingsOf } from '../history/spellings.ts';
import { withFewPages } from '../lake/few-pages.ts';
import type { Lake } from '../lake/open.ts';
import { prepare, present } from '../lake/prepare.ts';
import { foldHandle } from '../wire/folding.ts';
import { laddersByPlatform } from './choice.ts';
import { type CreatorShowing, learnShowing, type PageSeen } from './creator-pages.ts';
import { curveLibrary, type PastCurve } from './curves.ts';
import { PlanLadder } from './price.ts';
import { creatorsUsual, type TrackedColumns, trackedColumns, videoNumbers } from './tracked.ts';

/** A lake's tracked videos, ready for `chooseCalls`, and what its numbers stand for. */
export interface LakeInput {
  readonly tracked: TrackedColumns;
  /** One for each of PLATFORMS. */
  readonly ladders: readonly PlanLadder[];
  readonly showing: CreatorShowing;
  /** `video.key` of each video in `tracked`. */
  readonly videoKeys: Float64Array;
  /** Whom each creator number stands for. */
  readonly creators: readonly { readonly platform: Platform; readonly handle: string }[];
}

/** A video whose birth nobody told is taken to have been this old when first seen. */
const USUAL_AGE_AT_FIRST_SIGHT_MS = 12 * HOUR_MS;
/** Two refreshes closer than this share of the age tell nothing of growth. */
const LEAST_GAP_OF_AGE = 0.09;

// Counts of the future, of a service whose clock runs ahead, are refreshes all the same.
const EVER = `${Number.MAX_SAFE_INTEGER}`;
/**
 * Every video of some platforms with a count, by key. One walk over both tables in the order of
 * their keys: `+` because the index by platform would read them in the order of handles, all over
 * the file; `limit` because SQLite would else look up `last_at` four times. Exported for the test
 * of its plan.
 */
export const REFRESHES = `
  with known as (
    select key, platform, user, coalesce(created_at, first_seen_at - @usualAge) as born,
      ${lastKnownAt('views', { video: 'v.key', at: EVER })} as last_at
    from video v where +platform in (select value from json_each(@platforms))
    order by key limit -1
  )
  select k.key, k.platform, k.user, k.born, k.last_at, l.views, e.observed_at, e.views
  from known k
  join video_snapshot l on l.video_key = k.key and l.observed_at = k.last_at
  left join video_snapshot e on e.video_key = k.key and e.observed_at = ${lastKnownAt('views', {
    video: 'k.key',
    at: 'k.last_at - max(@leastGap, (k.last_at - k.born) * @leastGapOfAge)',
  })}
  order by k.key`;

type RefreshRow = [
  key: number,
  platform: Platform,
  user: string | null,
  born: number,
  lastAt: number,
  lastViews: number,
  earlierAt: number | null,
  earlierViews: number | null,
];

/** Gives each creator a number, in the order met, whatever the spellings of its handle. */
const creatorNumbers = () => {
  const byPlatform = PLATFORMS.map(() => new Map<string, number>());
  const creators: { platform: Platform; handle: string }[] = [];
  const of = (platform: Platform, handle: string | null): number => {
    const numbers = byPlatform[PLATFORMS.indexOf(platform)];
    if (handle === null || numbers === undefined) return -1;
    const known = numbers.get(handle);
    if (known !== undefined) return known;
    const folded = foldHandle(handle);
    if (folded === '') return -1;
    const number = numbers.get(folded) ?? creators.length;
    if (number === creators.length) creators.push({ platform, handle });
    numbers.set(handle, number).set(folded, number);
    return number;
  };
  return { of, creators };
};

const readTracked = ({ sqlite }: Lake, platforms: readonly Platform[]) => {
  const most = present(prepare(sqlite, 'select count(*) from video', 'number').get());
  const all = trackedColumns(most);
  const videoKeys = new Float64Array(most);
  const numbers = creatorNumbers();
  const rows = prepare<RefreshRow>(sqlite, REFRESHES, [
    'number',
    'text',
    'text?',
    'number',
    'number',
    'number',
    'number?',
    'number?',
  ]).iterate({
    platforms: JSON.stringify(platforms),
    usualAge: USUAL_AGE_AT_FIRST_SIGHT_MS,
    leastGap: HOUR_MS,
    leastGapOfAge: LEAST_GAP_OF_AGE,
  });
  let length = 0;
  for (const [key, platform, user, born, lastAt, lastViews, earlierAt, earlierViews] of rows) {
    videoKeys[length] = key;
    all.createdAt[length] = born;
    all.lastAt[length] = lastAt;
    all.lastViews[length] = lastViews;
    all.earlierAt[length] = earlierAt ?? Number.NaN;
    all.earlierViews[length] = earlierViews ?? Number.NaN;
    all.platform[length] = PLATFORMS.indexOf(platform);
    all.creator[length] = numbers.of(platform, user);
    length++;
  }
  return { tracked: { ...all, length }, videoKeys, creators: numbers.creators };
};

/** A list keeps at least this share of its videos, or it promises nothing. */
const LEAST_KEPT = 0.5;

// For each list: its newest refresh, the time since the one before, and the share of that one's videos
// still on it. A list is expected again after the same time.
const LISTS = `
  with refreshes as (
    select key, captured_at,
      lead(key) over list as before_key, lead(captured_at) over list as before_at,
      row_number() over list as newest
    from capture where list <> 'hashtags' and captured_at > @since and completed_at is not null
    window list as (partition by list, platform, period order by captured_at desc)
  )
  select key, 2 * captured_at - before_at as next_at from refreshes
  where newest = 1 and 2 * captured_at - before_at > @now and @leastKept * (
    select count(*) from ranking where capture_key = before_key
  ) <= (
    select count(*) from ranking b where b.capture_key = before_key
      and exists (select 1 from ranking r where r.video_key = b.video_key and r.capture_key = refreshes.key)
  )`;

const addListRefreshes = (
  { sqlite }: Lake,
  now: number,
  tracked: TrackedColumns,
  numberOf: (videoKey: number) => number,
): void => {
  const lists = prepare(sqlite, LISTS, { key: 'number', next_at: 'number' }).all({
    now,
    since: now - 7 * DAY_MS,
    leastKept: LEAST_KEPT,
  });
  const videosOf = prepare(sqlite, 'select video_key from ranking where capture_key = ?', 'number');
  for (const { key, next_at } of lists)
    for (const video of videosOf.all(key)) {
      const i = numberOf(video);
      if (i === -1) continue;
      const known = tracked.nextListRefreshAt[i] ?? Number.NaN;
      tracked.nextListRefreshAt[i] = Number.isNaN(known) ? next_at : Math.min(known, next_at);
    }
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
const readCurves = (
  lake: Lake,
  now: number,
  tracked: TrackedColumns,
  numberOf: (videoKey: number) => number,
): PastCurve[] => {
  const usual = creatorsUsual(tracked);
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
      const i = numberOf(key);
      const creatorUsual = usual.of(i, Math.log(Math.max(1, tracked.lastViews[i] ?? 1)));
      return [{ platform, ageHours, views: points.map(([, views]) => views), creatorUsual }];
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

/** What the runs' last creator calls showed of the videos tracked when they were made. */
const readPages = ({ sqlite }: Lake): PageSeen[] => {
  // `cross` keeps the order of the tables: newest calls first, until there are enough
  const calls = prepare<[Platform, string, number, number]>(
    sqlite,
    `select i.request_json ->> 'platform', i.request_json ->> 'handle', c.sent_at, c.finished_at
       from calls c cross join run_items i using (run_id, job, request)
       where c.job = 'creators' and c.status = 200 order by c.id desc limit ${PAGES}`,
    ['text', 'text', 'number', 'number'],
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

/** What is believed of each platform without any curve: the same every night. */
const priorLadder = (platform: Platform): PlanLadder => new PlanLadder(curveLibrary(platform, []));
const PRIOR_LADDERS: Record<Platform, PlanLadder> = {
  tiktok: priorLadder('tiktok'),
  instagram: priorLadder('instagram'),
  youtube: priorLadder('youtube'),
};

/**
 * Reads all that `chooseCalls` wants to know from a lake, as of `now` (Unix ms): every video with a
 * count, its last two refreshes, when a list will show it anyway, the lake's own past curves, and what
 * its creator calls showed. Only reads, both big tables in the order of their keys, and holds 61
 * bytes a video and the creators' handles.
 * @param platforms whose videos may be chosen; all unless given
 */
export const lakeInput = (
  lake: Lake,
  now: number,
  platforms: readonly Platform[] = PLATFORMS,
): LakeInput => {
  const { tracked, videoKeys, creators } = withFewPages(lake, () => readTracked(lake, platforms));
  const numberOf = videoNumbers(videoKeys, tracked.length);
  addListRefreshes(lake, now, tracked, numberOf);
  const curves = readCurves(lake, now, tracked, numberOf);
  const ladders = laddersByPlatform((platform) => {
    const own = curves.filter((curve) => curve.platform === platform);
    return own.length === 0 ? PRIOR_LADDERS[platform] : new PlanLadder(curveLibrary(platform, own));
  });
  return { tracked, ladders, showing: learnShowing(readPages(lake)), videoKeys, creators };
};
