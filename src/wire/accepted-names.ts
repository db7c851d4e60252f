/**
 * Names under which the client accepts what the interface does not show. The first name is the
 * one our own service uses. Adding a name is one word here; `trendlake replay` then reads the
 * answers already kept with it.
 */
export const ACCEPTED = {
  /** Where a list stands in an answer, also one level deeper. */
  list: ['items', 'data', 'results'],
  /** Where a timeline stands in a growth answer. */
  timeline: ['snapshots', 'timeline', 'history', 'growth', 'points', 'series', 'data'],
  at: ['at', 't', 'time', 'date', 'timestamp', 'capturedAt', 'collectedAt', 'recordedAt'],
  views: ['views', 'viewCount', 'view_count', 'playCount', 'plays'],
  likes: ['likes', 'likeCount', 'like_count', 'diggCount'],
  tag: ['tag', 'hashtag', 'name'],
  volume: ['volume', 'count', 'videoCount', 'posts', 'uses'],
  tagViews: ['views', 'totalViews', 'viewCount'],
  handle: ['handle', 'user', 'username', 'uniqueId'],
  followers: ['followers', 'followerCount', 'subscribers'],
  /** Where a creator's videos stand in a profile. */
  creatorVideos: ['videos', 'trending', 'items'],
  /** Where a creator's earlier counts stand in a profile. */
  creatorGrowth: ['growth', 'history', 'timeline', 'snapshots'],
  videoCount: ['videoCount', 'video_count'],
  engagementRate: ['engagementRate', 'engagement_rate'],
} as const;
export type Accepted = keyof typeof ACCEPTED;

/** The first value that is not null under an accepted name; null if all are, undefined without any. */
export const pick = (object: Record<string, unknown>, what: Accepted): unknown => {
  const present = ACCEPTED[what].filter((name) => Object.hasOwn(object, name));
  const telling = present.find((name) => object[name] !== null) ?? present[0];
  return telling === undefined ? undefined : object[telling];
};
