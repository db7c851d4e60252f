import { isoOf } from '../../src/base/iso.ts';
import { latestPulled, pulledEntries } from '../../src/lake/lists/pulled-list.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { contentItems } from '../../src/lake/read/content-items.ts';

const lake = openLakeForReading(process.env.TRENDLAKE_DATA_DIR ?? '');
lake.sqlite.pragma('cache_size = -16384');

/** Body of a page of TikTok's feed as the service sends it at `at` (Unix ms), by the same statements and JSON.stringify. */
export const feedText = (at: number, limit: number, page: number): string => {
  const list = latestPulled(lake, { list: 'feed', platform: 'tiktok', period: '24h' }, at);
  if (list === undefined) throw new Error('The lake holds no pulled feed of TikTok.');
  const entries = pulledEntries(lake, list.key, (page - 1) * limit, page * limit);
  const items = contentItems(lake, entries, list.completedAt, 'seen');
  return JSON.stringify({ total: list.total, page, items, asOf: isoOf(list.completedAt) });
};
