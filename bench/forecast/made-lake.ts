import { PLATFORM_PREFIXES, PLATFORMS, type Source, sourceCode } from '../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { openLake } from '../../src/lake/open.ts';
import { RandomStream } from '../../src/sandbox/world/random-stream.ts';

/** The instant the made lake ends at. */
export const END_AT: number = Date.UTC(2026, 10, 1);
/** Videos are first seen over so long, and then every twelve hours. */
const SPAN_MS = 120 * DAY_MS;
const STEP_MS = 12 * HOUR_MS;
const WAYS: readonly Source[] = ['feed', 'search', 'creator'];
const AT_ONCE = 50_000;

/**
 * Fills a new lake with made-up videos on three platforms, first seen three ways: each grows
 * towards its own limit. The same every time; in bulk, past the loader.
 */
export const makeLake = (dataDir: string, videos: number, snapshots: number): void => {
  const lake = openLake(dataDir);
  const { sqlite } = lake;
  sqlite.pragma('synchronous = OFF');
  const insertVideo = sqlite.prepare(
    'insert into video (key, id, platform, title, user, views, likes, created_at, first_seen_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const insertSnapshot = sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, likes, rate_derived, source) values (?, ?, ?, ?, 1, ?)',
  );
  const random = new RandomStream(0xf0, 14);
  const put = (key: number): void => {
    const platform = PLATFORMS[key % PLATFORMS.length] ?? 'tiktok';
    const way = sourceCode(WAYS[Math.floor(key / 3) % WAYS.length] ?? 'feed');
    const firstAt = Math.round(END_AT - SPAN_MS + (key / videos) * SPAN_MS);
    const start = Math.exp(random.between(6, 11));
    const pace = random.between(8, 60);
    const times = random.chance(1 / 6) ? random.between(3, 20) : random.between(0.05, 1.5);
    const seen: [number, number][] = [];
    for (let i = 0; i < snapshots && firstAt + i * STEP_MS <= END_AT; i++) {
      const hours = (i * STEP_MS) / HOUR_MS;
      const grown = start * (1 + times * -Math.expm1(-hours / pace)) * (1 + 0.01 * random.next());
      seen.push([firstAt + i * STEP_MS, Math.round(grown)]);
    }
    const views = seen.at(-1)?.[1] ?? 0;
    const createdAt = firstAt - Math.round(random.between(1, 30)) * HOUR_MS;
    insertVideo.run(
      key,
      `${PLATFORM_PREFIXES[platform]}_${key}`,
      platform,
      `video ${key}`,
      `user${key % 997}`,
      views,
      Math.floor(views / 20),
      createdAt,
      firstAt,
    );
    for (const [at, count] of seen) insertSnapshot.run(key, at, count, Math.floor(count / 20), way);
  };
  const last = Math.ceil(videos / AT_ONCE) * AT_ONCE;
  for (let from = 1; from <= last; from += AT_ONCE)
    sqlite.transaction(() => {
      for (let key = from; key < from + AT_ONCE && key <= videos; key++) put(key);
    })();
  lake.close();
};
