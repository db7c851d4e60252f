import {
  type Field,
  type FieldReader,
  readCount,
  readInstant,
  readNumber,
  readRate,
  readTags,
  readText,
} from './fields.ts';

const field = <T>(read: FieldReader<T>, unit: string, ...names: readonly string[]): Field<T> => ({
  names,
  read,
  unit,
});

const at = ['at', 't', 'time', 'date', 'timestamp', 'capturedAt', 'collectedAt', 'recordedAt'];
const views = ['views', 'viewCount', 'view_count', 'playCount', 'plays'];
const likes = ['likes', 'likeCount', 'like_count', 'diggCount'];
const followers = ['followers', 'followerCount', 'subscribers'];
const rate = ['engagementRate', 'engagement_rate'];
const INSTANT = 'Unix ms';
const PERCENT = 'percent';

/**
 * All fields read from responses, imports and webhooks, by kind of object, with their accepted
 * names. Null, missing and invalid fields are null ("unknown"). After adding a name here,
 * `trendlake replay` reads it from stored responses.
 */
export const FIELDS = {
  /** A video in a list or a profile. */
  item: {
    title: field(readText, 'text', 'title'),
    user: field(readText, 'handle', 'user'),
    views: field(readCount, 'views', 'views'),
    likes: field(readCount, 'likes', 'likes'),
    engagementRate: field(readRate, PERCENT, 'engagementRate'),
    createdAt: field(readInstant, INSTANT, 'createdAt'),
    hashtags: field(readTags, 'tags', 'hashtags'),
    score: field(readNumber, 'none', 'score'),
    velocity: field(readNumber, 'views per hour', 'velocity'),
  },
  /** A point of a timeline. */
  point: {
    at: field(readInstant, INSTANT, ...at),
    views: field(readCount, 'views', ...views),
    likes: field(readCount, 'likes', ...likes),
    followers: field(readCount, 'followers', ...followers),
    engagementRate: field(readRate, PERCENT, ...rate),
  },
  creator: {
    handle: field(readText, 'handle', 'handle', 'user', 'username', 'uniqueId'),
    followers: field(readCount, 'followers', ...followers),
    videoCount: field(readCount, 'videos', 'videoCount', 'video_count'),
    views: field(readCount, 'views', ...views),
    likes: field(readCount, 'likes', ...likes),
    engagementRate: field(readRate, PERCENT, ...rate),
  },
  /** A hashtag in a list. */
  hashtag: {
    tag: field(readText, 'tag', 'tag', 'hashtag', 'name'),
    volume: field(readCount, 'videos', 'volume', 'count', 'videoCount', 'posts', 'uses'),
    views: field(readCount, 'views', 'views', 'totalViews', 'viewCount'),
    change: field(readNumber, 'share', 'change'),
  },
  /** A line of `videos.ndjson`. */
  importedVideo: {
    title: field(readText, 'text', 'title'),
    user: field(readText, 'handle', 'user'),
    createdAt: field(readInstant, INSTANT, 'createdAt'),
    hashtags: field(readTags, 'tags', 'tags'),
  },
  /** A line of `snapshots.ndjson`. */
  importedSnapshot: {
    at: field(readInstant, INSTANT, 'at'),
    views: field(readCount, 'views', 'views'),
    likes: field(readCount, 'likes', 'likes'),
    title: field(readText, 'text', 'title'),
    user: field(readText, 'handle', 'user'),
  },
  /** A line of `hashtags.ndjson`. */
  importedHashtag: {
    tag: field(readText, 'tag', 'tag'),
    at: field(readInstant, INSTANT, 'at'),
    volume: field(readCount, 'videos', 'volume'),
    views: field(readCount, 'views', 'views'),
  },
  /** A line of `creators.ndjson`. */
  importedCreator: {
    handle: field(readText, 'handle', 'user'),
    at: field(readInstant, INSTANT, 'at'),
    followers: field(readCount, 'followers', 'followers'),
    videoCount: field(readCount, 'videos', 'videoCount'),
    views: field(readCount, 'views', 'views'),
    likes: field(readCount, 'likes', 'likes'),
  },
  /** Subject of an upstream event, by kind. */
  eventSubject: {
    'trend.spike': field(readText, 'id', 'videoId', 'video_id', 'video', 'id'),
    'creator.viral': field(readText, 'handle', 'handle', 'creator', 'user', 'username'),
    'hashtag.rising': field(readText, 'tag', 'tag', 'hashtag', 'name'),
    'niche.breakout': field(readText, 'tag', 'niche', 'name', 'tag'),
  },
} as const;

/** Names of lists in a response, also one level deeper. */
export const HOLDERS = {
  list: ['items', 'data', 'results'],
  timeline: ['snapshots', 'timeline', 'history', 'growth', 'points', 'series', 'data'],
  creator: ['data', 'creator', 'profile', 'result'],
  creatorVideos: ['videos', 'trending', 'items'],
  creatorGrowth: ['growth', 'history', 'timeline', 'snapshots'],
} as const;
