import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import type { Lake } from '../../src/lake/open.ts';

const SNAPSHOTS_PER_VIDEO = 10;
const DAYS = 30;
const START_AT = Date.UTC(2026, 0, 1);
const WORDS =
  'the best easy day night dance recipe how to make this you will never believe why my new morning routine with friends family travel food workout challenge part funny cat dog baby school city summer hack tips tutorial review first last time watch until end secret simple viral trend story love life music song guitar car game live reaction try not laugh wait for it pov when your mom says no más fácil receta gatos 東京 朝ごはん おすすめ مطبخ سريع'.split(
    ' ',
  );
const TAGS =
  'fyp foryou viral trending dance food recipe cat travel fitness fashion learnontiktok pourtoi おすすめ reels shorts'.split(
    ' ',
  );
const EMOJI = ['😂', '🔥', '😭', '✨', '💀', '👀', '🥹', '❤️'];

/** Numbers in [0, 1), the same in every run. */
const seeded = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
};

/**
 * Fills an empty lake with made-up videos, each with ten snapshots, over 30 days. The same every
 * time; in bulk, past the loader.
 */
export const fillLake = (lake: Lake, videos: number): void => {
  const random = seeded(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const title = (): string =>
    [
      ...Array.from({ length: 3 + Math.floor(random() * 12) }, () => pick(WORDS)),
      ...(random() < 0.5 ? [pick(EMOJI)] : []),
      ...Array.from({ length: Math.floor(random() * 6) }, () => `#${pick(TAGS)}`),
    ].join(' ');
  const addVideo = lake.sqlite.prepare(
    'insert into video (key, id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at, extra) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const addSnapshot = lake.sqlite.prepare(
    'insert into video_snapshot (video_key, observed_at, views, likes, engagement_rate, rate_derived, source, extra) values (?, ?, ?, ?, ?, ?, ?, null)',
  );
  const add = (key: number): void => {
    const [platform, prefix] = pick([
      ['tiktok', 'tt'],
      ['instagram', 'ig'],
      ['youtube', 'yt'],
    ] as const);
    const id = `${prefix}_7${String(Math.floor(random() * 1e9)).padStart(9, '0')}${String(key).padStart(9, '0')}`;
    const firstAt = START_AT + Math.floor((random() * (DAYS - 3) * DAY_MS) / 1000) * 1000;
    let views = Math.floor(100 * 10 ** (random() * 4));
    let likes = Math.floor(views * random() * 0.2);
    const snapshots = Array.from({ length: SNAPSHOTS_PER_VIDEO }, (_, i) => {
      views += Math.floor(views * random() * 0.3);
      likes += Math.floor(likes * random() * 0.3);
      return [key, firstAt + i * 6 * HOUR_MS, views, likes, null, 1, i % 3] as const;
    });
    const user = `${pick(WORDS)}.${Math.floor(random() * 30_000)}`;
    const extra = random() < 0.3 ? JSON.stringify({ comments: Math.floor(views / 300) }) : null;
    addVideo.run(
      key,
      id,
      platform,
      title(),
      user,
      views,
      likes,
      (100 * likes) / views,
      firstAt - Math.floor(random() * 48) * HOUR_MS,
      firstAt,
      extra,
    );
    for (const snapshot of snapshots) addSnapshot.run(...snapshot);
  };
  lake.sqlite.transaction(() => {
    for (let key = 1; key <= videos; key++) add(key);
  })();
};
