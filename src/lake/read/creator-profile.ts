import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { engagementRate } from '../../base/wire/engagement-rate.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import type { Paging } from '../lists/list-page.ts';
import type { Lake } from '../open.ts';
import type { RowOf } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { knownBy, lastKnown } from './as-of-sql.ts';
import { contentItems } from './content-items.ts';
import { Echoes } from './echoes.ts';
import type { CreatorProfile } from './shown-profile.ts';
import { spellingsOf } from './spellings.ts';

/** All spellings of the handle asked for. */
const SPELLINGS = spellingsOf('@folded');

/**
 * Facts of a profile beside its counts at @asOf, in the requested spelling if there are several.
 */
const PROFILE = `select c.key, c.handle,
    case when r.creator_key is null then c.engagement_rate else r.engagement_rate end as rate,
    case when r.creator_key is null then c.extra else r.extra end as extra
  from creator c left join creator_revision r on r.creator_key = c.key and r.until_at = (
    select min(n.until_at) from creator_revision n where n.creator_key = c.key and n.until_at > @asOf)
  where c.platform = @platform and c.handle in (${SPELLINGS})
    and c.first_seen_at <= @asOf
  order by c.handle = @handle desc, c.key limit 1`;

const SNAPSHOTS = `select observed_at as at, followers, video_count as videoCount, views, likes, source
  from creator_snapshot where creator_key = +? and observed_at <= ? order by observed_at`;

/**
 * Keys of videos whose handle was this one at @asOf, in any spelling: by the current handle, and by one
 * they had before. Those with most views for each day of their life, counted from a day on, come first.
 */
const VIDEOS = `
  with named as (
    select v.key, v.created_at from video v where v.platform = @platform
      and v.user in (${SPELLINGS}) and ${knownBy('v', '@asOf')} and not exists (
        select 1 from video_revision r where r.video_key = v.key and r.until_at > @asOf)
    union
    select v.key, v.created_at from video_revision r join video v on v.key = r.video_key
      where r.user in (${SPELLINGS}) and v.platform = @platform and ${knownBy('v', '@asOf')}
      and r.until_at = (select min(n.until_at) from video_revision n
        where n.video_key = r.video_key and n.until_at > @asOf))
  select n.key from named n
  order by coalesce(${lastKnown('views', { video: 'n.key', at: '@asOf' })}, 0)
      / max(1.0, (@asOf - coalesce(n.created_at, 0)) / ${DAY_MS}.0) desc,
    coalesce(n.created_at, 0) desc, n.key`;

/** A page of the creator's videos, given the keys of all. */
const itemsOf = (
  lake: Lake,
  keys: readonly number[],
  asOf: number,
  { limit, page }: Paging,
): ContentItem[] => {
  const before = (page - 1) * limit;
  const entries = keys.slice(before, before + limit).map((key, index) => ({
    key,
    rank: before + index + 1,
    score: null,
    velocity: null,
  }));
  return contentItems(lake, entries, asOf);
};

/** A creator's videos page by page, in the order of `creatorProfile`, and their number in the lake. */
export const creatorVideos = (
  lake: Lake,
  query: { platform: Platform; handle: string; asOf: number } & Paging,
): { total: number; items: ContentItem[] } => {
  const { platform, handle, asOf, ...paging } = query;
  const named = { platform, folded: foldHandle(handle), asOf };
  const videos = prepared(lake, VIDEOS, 'number').all(named);
  return { total: videos.length, items: itemsOf(lake, videos, asOf, paging) };
};

const SNAPSHOT = {
  at: 'number',
  followers: 'number?',
  views: 'number?',
  likes: 'number?',
  videoCount: 'number?',
  source: 'number',
} as const;
type Snapshot = RowOf<typeof SNAPSHOT>;

const newest = (
  snapshots: readonly Snapshot[],
  count: 'followers' | 'videoCount' | 'views' | 'likes',
): number | null => snapshots.findLast((snapshot) => snapshot[count] !== null)?.[count] ?? null;

/**
 * `GET /creators/{platform}/{handle}`: counts as last known at `asOf`, one page of the creator's
 * videos (most views per day of their life first), and the snapshots that changed something. A
 * handle known from videos only has a profile of nulls. Undefined for an unknown handle.
 */
export const creatorProfile = (
  lake: Lake,
  query: { platform: Platform; handle: string; asOf: number; limit: number; page?: number },
): CreatorProfile | undefined => {
  const { platform, handle, asOf, limit, page = 1 } = query;
  const named = { platform, folded: foldHandle(handle), asOf };
  const profile = prepared(lake, PROFILE, {
    key: 'number',
    handle: 'text',
    rate: 'number?',
    extra: 'text?',
  }).get({ ...named, handle });
  const videos = prepared(lake, VIDEOS, 'number').all(named);
  if (profile === undefined && videos.length === 0) return undefined;
  const snapshots =
    profile === undefined ? [] : prepared(lake, SNAPSHOTS, SNAPSHOT).all(profile.key, asOf);
  const echoes = new Echoes();
  const [views, likes] = [newest(snapshots, 'views'), newest(snapshots, 'likes')];
  return {
    handle: profile?.handle ?? handle,
    followers: newest(snapshots, 'followers'),
    videoCount: newest(snapshots, 'videoCount'),
    views,
    likes,
    engagementRate: profile?.rate ?? engagementRate({ views, likes }),
    videos: itemsOf(lake, videos, asOf, { limit, page }),
    growth: snapshots
      .filter(
        (snapshot) =>
          !echoes.isEcho(snapshot.source, snapshot.followers, snapshot.views, snapshot.likes),
      )
      .map(({ videoCount: _, source: __, ...counts }) => counts),
    extra: profile?.extra == null ? {} : (JSON.parse(profile.extra) as Record<string, unknown>),
  };
};
