import { createHash } from 'node:crypto';

/** A repeatable stream of numbers 0 <= r < 1 (mulberry32). */
export const numbers = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const WORDS =
  'the how to make best day night with my in 5 minutes why you never new dance food cat street real first'.split(
    ' ',
  );

/** What a bench knows of video `index`: everything derives from the number. */
export const madeVideo = (index: number) => {
  const random = numbers(index);
  const words = Array.from({ length: 7 }, () => WORDS[Math.floor(random() * WORDS.length)]);
  const tags = Array.from({ length: 4 }, () => `tag${Math.floor(random() ** 3 * 20_000)}`);
  const number = BigInt(`0x${createHash('md5').update(String(index)).digest('hex').slice(0, 15)}`);
  return {
    id: `tt_${7_000_000_000_000_000_000n + (number % 400_000_000_000_000_000n)}`,
    title: `${words.join(' ')} ${tags.map((tag) => `#${tag}`).join(' ')}`,
    user: `creator${Math.floor(random() ** 2 * 200_000)}`,
    tags,
    createdAt: 1_790_000_000_000 + index * 1000,
    views: Math.floor(Math.exp(8 + random() * 6)),
  };
};

/** A page as the interface answers it: `indexes` in order, their counts as at `at`. */
export const madePage = (indexes: readonly number[], at: number, page: number): Buffer => {
  const items = indexes.map((index, place) => {
    const { id, title, user, tags, createdAt, views } = madeVideo(index);
    const seen = views + Math.floor((at - 1_795_000_000_000) / 60_000);
    const likes = Math.floor(seen / 20);
    return {
      id,
      platform: 'tiktok',
      title,
      user,
      views: seen,
      likes,
      engagementRate: (100 * likes) / seen,
      createdAt: new Date(createdAt).toISOString(),
      hashtags: tags,
      rank: place + 1,
      score: 1 / (place + 1),
      velocity: 60,
    };
  });
  return Buffer.from(
    JSON.stringify({ total: 10_000, page, items, asOf: new Date(at).toISOString() }),
  );
};
