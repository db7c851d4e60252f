import type { Ask } from '../../src/api/ask.ts';
import type { RawAnswer } from '../../src/api/client.ts';

const PAGE = { limit: 100, page: 1, offset: 0 };
/** What a sync asks first: a page of the feed, and one of hashtags. */
export const FEED: Ask = { kind: 'feed', platform: 'tiktok', dateRange: '24h', ...PAGE };
export const HASHTAGS: Ask = { kind: 'hashtags', dateRange: '30d', ...PAGE };

/** An answer with this body: bytes as they are, anything else as JSON. */
export const answerOf = (body: unknown, type = 'application/json'): RawAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
});
