import type Database from 'better-sqlite3';
import { type Platform, sourceCode } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { prepare, type RowOf } from '../../lake/prepare.ts';
import type { Window } from './event.ts';
import { HASHTAG_LOOKBACK_MS, type TagSnapshot } from './hashtag-rising.ts';
import {
  type ListCapture,
  NICHE_LOOKBACK_MS,
  NICHE_MIN_PAST,
  type NicheVideo,
} from './niche-breakout.ts';
import { firstOfEach } from './timeline.ts';
import { chunks } from './video-history.ts';

/** Of one list at most one capture in each stretch of this length is judged: the first. */
const EVERY_MS = 6 * HOUR_MS;

const CAPTURE = {
  key: 'number',
  platform: 'platform',
  list: 'text',
  at: 'number',
} as const;
type Capture = RowOf<typeof CAPTURE>;

const capturesIn = (sqlite: Database.Database, span: Window): Capture[] => {
  const all = prepare(
    sqlite,
    `select key, platform, list || ' ' || period as list, completed_at as at from capture
       where captured_at > ? and captured_at <= ? and completed_at <= ? and platform <> ''
         and (list = 'feed' or (list = 'trends' and period = 'day')) order by captured_at`,
    CAPTURE,
  ).all(span.from, span.to, span.to);
  const byList = Map.groupBy(all, ({ platform, list }) => `${platform} ${list}`);
  return [...byList.values()].flatMap((captures) => firstOfEach(captures, EVERY_MS));
};

const listedVideos = (
  sqlite: Database.Database,
  keys: readonly number[],
): Map<number, NicheVideo> => {
  const read = prepare(
    sqlite,
    `select v.key, v.id, v.user, (select json_group_array(h.folded) from video_hashtag vh cross join hashtag h on h.key = vh.hashtag_key where vh.video_key = v.key)
       from json_each(?) k cross join video v on v.key = k.value`,
    ['number', 'text', 'text?', 'text'],
  );
  const videos = new Map<number, NicheVideo>();
  for (const part of chunks(keys))
    for (const [key, id, user, tags] of read.iterate(JSON.stringify(part)))
      videos.set(key, { id, user, tags: JSON.parse(tags) as string[] });
  return videos;
};

/**
 * Captures of each platform's feed and day trends, as far back as the niche rule reads. Empty if no
 * list that was pulled inside `span` has enough earlier captures.
 */
export const listHistory = (
  sqlite: Database.Database,
  span: Window,
): Map<Platform, ListCapture[]> => {
  const captures = capturesIn(sqlite, { from: span.from - NICHE_LOOKBACK_MS, to: span.to });
  const ofLists = Map.groupBy(captures, ({ platform, list }) => `${platform} ${list}`);
  const isJudged = (captures: readonly Capture[]): boolean =>
    captures.length > NICHE_MIN_PAST && captures.some(({ at }) => at > span.from);
  if (![...ofLists.values()].some(isJudged)) return new Map();
  const keysOf = prepare(
    sqlite,
    'select video_key from ranking where capture_key = ? order by rank',
    'number',
  );
  const listed = new Map(captures.map(({ key }) => [key, keysOf.all(key)]));
  const videos = listedVideos(sqlite, [...new Set([...listed.values()].flat())]);
  const read = captures.map(({ key, platform, list, at }) => ({
    platform,
    list,
    at,
    videos: [...new Set(listed.get(key))].flatMap((video) => videos.get(video) ?? []),
  }));
  return Map.groupBy(read, ({ platform }) => platform);
};

/**
 * One tag's snapshots on one platform ('' for all), of one window and source, because others cannot be
 * compared.
 */
export interface TagHistory {
  readonly tag: string;
  readonly platform: Platform | '';
  readonly snapshots: readonly TagSnapshot[];
}

/**
 * Snapshots of each tag that was observed inside `span`, as far back as the rule reads. Leaves out
 * volumes counted over the videos of the lake: they rise with the number of watched videos.
 */
export function* tagHistories(sqlite: Database.Database, span: Window): Generator<TagHistory> {
  const seen = prepare(
    sqlite,
    'select distinct hashtag_key from hashtag_snapshot indexed by hashtag_snapshot_observed_at where observed_at > ? and observed_at <= ?',
    'number',
  ).all(span.from, span.to);
  const read = prepare(
    sqlite,
    `select h.folded as tag, s.platform, s.observed_at as at, s.volume, s.views, s.source || ' ' || coalesce(s.window, '') as kind from json_each(?) k cross join hashtag h on h.key = k.value cross join hashtag_snapshot s on s.hashtag_key = h.key
       where s.observed_at > ? and s.observed_at <= ? and s.source <> ${sourceCode('seen')} order by k.value, s.platform, kind, s.observed_at`,
    {
      tag: 'text',
      platform: 'platforms',
      at: 'number',
      volume: 'number?',
      views: 'number?',
      kind: 'text',
    },
  );
  for (const part of chunks(seen)) {
    const rows = read.all(JSON.stringify(part), span.from - HASHTAG_LOOKBACK_MS, span.to);
    const histories = Map.groupBy(rows, ({ tag, platform, kind }) => `${tag} ${platform} ${kind}`);
    for (const snapshots of histories.values()) {
      const { tag, platform } = snapshots[0] as (typeof snapshots)[number];
      yield { tag, platform, snapshots };
    }
  }
}
