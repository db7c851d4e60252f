import { DAY_MS } from '../../src/base/durations.ts';
import { openLake } from '../../src/lake/open.ts';
import { refreshSearch } from '../../src/lake/search/search-index.ts';
import { madeVideo, START_AT } from './made-pages.ts';

/** Makes a lake of `videos` videos with two snapshots each, searchable: in bulk, past the loader. */
export const buildLake = (dataDir: string, videos: number): void => {
  const lake = openLake(dataDir);
  const { sqlite } = lake;
  sqlite.pragma('synchronous = OFF');
  const video = sqlite.prepare(
    "insert into video (key, id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at) values (?, ?, 'tiktok', ?, ?, ?, ?, ?, ?, ?)",
  );
  const snapshot = sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source) values (?, ?, ?, ?, 1, 0)',
  );
  const tag = sqlite.prepare(
    'insert into hashtag (tag, folded) values (?, ?) on conflict do nothing',
  );
  const link = sqlite.prepare(
    'insert into video_hashtag (video_key, hashtag_key, position) select ?, key, ? from hashtag where folded = ? on conflict do nothing',
  );
  const put = (index: number): void => {
    const { id, title, user, tags, createdAt, views } = madeVideo(index);
    const [key, likes] = [index + 1, Math.floor(views / 20)];
    video.run(key, id, title, user, views, likes, (100 * likes) / views, createdAt, createdAt);
    tags.forEach((name, position) => {
      tag.run(name, name);
      link.run(key, position, name);
    });
    for (const daysAgo of [2, 1])
      snapshot.run(key, START_AT - daysAgo * DAY_MS + Math.floor(index / 100), views, likes);
  };
  sqlite.transaction(() => {
    for (let index = 0; index < videos; index++) put(index);
    refreshSearch(lake);
  })();
  lake.close();
};
