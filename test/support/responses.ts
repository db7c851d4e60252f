import type { RawResponse } from '../../src/upstream/client.ts';
import type { UpstreamRequest } from '../../src/upstream/request.ts';

const PAGE = { limit: 100, page: 1, offset: 0 };
/** The first requests of a sync: a page of the feed, and one of hashtags. */
export const FEED: UpstreamRequest = {
  kind: 'feed',
  platform: 'tiktok',
  dateRange: '24h',
  ...PAGE,
};
export const HASHTAGS: UpstreamRequest = { kind: 'hashtags', dateRange: '30d', ...PAGE };

/** A response with this body: bytes as they are, anything else as JSON. */
export const responseOf = (body: unknown, type = 'application/json'): RawResponse => ({
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
});
