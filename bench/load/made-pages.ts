import { createHash } from 'node:crypto';
import { MINUTE_MS } from '../../src/base/durations.ts';
import { requestLine, type UpstreamRequest } from '../../src/upstream/request.ts';

/** The instant of the first page; the lake of `buildLake` ends before it. */
export const START_AT = 1_795_000_000_000;
/** Items of a page. */
export const PAGE_ITEMS = 100;
/** Of a page's videos, how many the lake has never seen. */
const FRESH_SHARE = 0.2;

/** A repeatable stream of numbers 0 <= r < 1 (mulberry32). */
const numbers = (seed: number): (() => number) => {
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

/** A bench's knowledge of video `index`: everything derives from the number. */
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

/** An item of a made page: video `index` at a rank, its counts as at `at`. */
const madeItem = (index: number, rank: number, at: number) => {
  const { id, title, user, tags, createdAt, views } = madeVideo(index);
  const seen = views + 1 + Math.floor((at - START_AT) / MINUTE_MS);
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
    rank,
    score: 1 / rank,
    velocity: 60,
  };
};

/** The items of a made page, read from its body. */
export const itemsOf = ({ body }: Pick<MadePage, 'body'>): ReturnType<typeof madeItem>[] =>
  (JSON.parse(body.toString()) as { items: ReturnType<typeof madeItem>[] }).items;

/** The body of a page as the interface answers it: `indexes` in order, their counts as at `at`. */
const madeBody = (indexes: readonly number[], at: number): Buffer => {
  const items = indexes.map((index, position) => madeItem(index, position + 1, at));
  const asOf = new Date(at).toISOString();
  return Buffer.from(JSON.stringify({ total: 10_000, page: 1, items, asOf }));
};

/** Request and response of one run: the first page of the feed, at its instant. */
export interface MadePage {
  /** Also the id of its run and of its call. */
  id: number;
  request: UpstreamRequest;
  line: string;
  body: Buffer;
  at: number;
}

const REQUEST: UpstreamRequest = {
  kind: 'feed',
  platform: 'tiktok',
  dateRange: '24h',
  limit: PAGE_ITEMS,
  page: 1,
  offset: 0,
};

/** Pages in time order over a lake of `videos`: mostly recent videos, some new ones. */
export const madePages = (videos: number, count: number): MadePage[] => {
  const random = numbers(7);
  let next = videos;
  return Array.from({ length: count }, (_, index) => {
    const chosen = new Set<number>();
    while (chosen.size < PAGE_ITEMS)
      chosen.add(
        random() < FRESH_SHARE ? next++ : Math.floor(videos * (1 - random() ** 2 * 0.3)) - 1,
      );
    const at = START_AT + index * MINUTE_MS;
    return {
      id: index + 1,
      request: REQUEST,
      line: requestLine(REQUEST),
      body: madeBody([...chosen], at),
      at,
    };
  });
};

/** Pages that hold videos 0, 1, 2 ... in order, a minute apart, their counts as at each page. */
export const pagesOf = (count: number, startAt: number): MadePage[] =>
  Array.from({ length: count }, (_, page) => {
    const indexes = Array.from({ length: PAGE_ITEMS }, (_, i) => page * PAGE_ITEMS + i);
    const at = startAt + page * MINUTE_MS;
    const request = { ...REQUEST, page: page + 1, offset: page * PAGE_ITEMS };
    return {
      id: page + 1,
      request,
      line: `${requestLine(request)}#${at}`,
      body: madeBody(indexes, at),
      at,
    };
  });
