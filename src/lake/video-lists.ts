import type { Period, Platform } from '../../schema/vocabulary.ts';
import type { ContentItem } from '../api/wire.ts';
import { DAY_MS } from '../clock.ts';
import { contentItems, contentItemsText, type Place } from './content-items.ts';
import { type RankedList, rankedPart, topOf } from './list-cache.ts';
import { movements } from './movements.ts';
import type { Lake } from './open.ts';
import { deepestRank, latestPulled, type PulledList, pulledPlaces } from './pulled-list.ts';
import { type Movement, scoresOf, velocityOf, viewsGained } from './score.ts';

/** Which part of a list is wanted; pages count from 1. */
export interface Paging {
  readonly limit: number;
  readonly page: number;
}

/**
 * One page of a list, true at `asOf` (Unix ms). `pulledAt` is null for a list computed here;
 * `isStale` when the lake was written to since it was.
 */
export interface ListPage<T> {
  readonly total: number;
  readonly items: T[];
  /** The items as the text of a JSON array, where that is had without making them. */
  readonly itemsText?: () => string;
  readonly asOf: number;
  readonly pulledAt: number | null;
  readonly isStale: boolean;
}

/** The rolling window of each period of `GET /trends`. */
export const PERIOD_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

const pulledPage = (lake: Lake, pulled: PulledList, paging: Paging): ListPage<ContentItem> => {
  const from = (paging.page - 1) * paging.limit;
  const places = pulledPlaces(lake, pulled.key, from, from + paging.limit);
  return {
    total: pulled.total ?? deepestRank(lake, pulled.key),
    get items() {
      return contentItems(lake, places, pulled.completedAt, 'seen');
    },
    itemsText: () => contentItemsText(lake, places, pulled.completedAt, 'seen'),
    asOf: pulled.completedAt,
    pulledAt: pulled.completedAt,
    isStale: false,
  };
};

const computedPage = (
  lake: Lake,
  asked: Paging & { asOf: number },
  {
    name,
    windowMs,
    rank,
  }: {
    name: string;
    windowMs: number;
    rank: (window: { from: number; asOf: number }, depth: number) => RankedList<Place>;
  },
): ListPage<ContentItem> => {
  const { limit, page } = asked;
  const ask = {
    name,
    asOf: asked.asOf,
    windowsMs: [windowMs],
    from: (page - 1) * limit,
    count: limit,
  };
  const { part, ...list } = rankedPart(lake, ask, (asOf, depth) =>
    rank({ from: asOf - windowMs, asOf }, depth),
  );
  return { ...list, items: contentItems(lake, part, list.asOf), pulledAt: null };
};

interface Scored {
  readonly movement: Movement;
  readonly score: number;
}

const scored = (found: readonly Movement[]): Scored[] => {
  const scores = scoresOf(found);
  return found.map((movement, index) => ({ movement, score: scores[index] as number }));
};

const placesOf = ({ total, top }: RankedList<Scored>): RankedList<Place> => ({
  total,
  top: top.map(({ movement, score }, index) => ({
    key: movement.key,
    rank: index + 1,
    score,
    velocity: velocityOf(movement),
  })),
});

interface Gaining extends Scored {
  readonly gained: number | null; // views gained inside the period
}

/** Best score first; equal ones by views, then by key, so that pages never overlap. */
const byScore = (a: Scored, b: Scored): number =>
  b.score - a.score ||
  (b.movement.views ?? -1) - (a.movement.views ?? -1) ||
  a.movement.key - b.movement.key;

/**
 * `GET /feed/{platform}`: the pulled feed of that dateRange where the lake holds one, in its order;
 * else the platform's videos seen inside the window, by score (src/lake/score.ts).
 */
export const feedPage = (
  lake: Lake,
  asked: Paging & { platform: Platform; dateRange: string; windowMs: number; asOf: number },
): ListPage<ContentItem> => {
  const { platform, dateRange, windowMs, asOf } = asked;
  const pulled = latestPulled(lake, { list: 'feed', platform, period: dateRange }, asOf);
  if (pulled !== undefined) return pulledPage(lake, pulled, asked);
  return computedPage(lake, asked, {
    name: `feed ${platform} ${windowMs}`,
    windowMs,
    rank: (window, depth) =>
      placesOf(topOf(scored(movements(lake, { platform, ...window })), byScore, depth)),
  });
};

/** Most views gained first; where no gain can be told, after those, by score. */
const byGain = (a: Gaining, b: Gaining): number =>
  (b.gained ?? -1) - (a.gained ?? -1) || byScore(a, b);

/**
 * `GET /trends/{platform}/{period}`: the pulled list where the lake holds one; else the videos seen
 * inside the period by views gained in it. A video known to have gained nothing is not trending and
 * is left out; one whose gain the looks do not tell comes after all others.
 */
export const trendsPage = (
  lake: Lake,
  asked: Paging & { platform: Platform; period: Period; asOf: number },
): ListPage<ContentItem> => {
  const { platform, period, asOf } = asked;
  const pulled = latestPulled(lake, { list: 'trends', platform, period }, asOf);
  if (pulled !== undefined) return pulledPage(lake, pulled, asked);
  const windowMs = PERIOD_MS[period];
  const rank = (window: { from: number; asOf: number }, depth: number): RankedList<Place> => {
    const gaining = scored(movements(lake, { platform, ...window })).map((entry) => ({
      ...entry,
      gained: viewsGained(entry.movement, window.from, windowMs),
    }));
    const moving = gaining.filter(({ gained }) => gained === null || gained > 0);
    return placesOf(topOf(moving, byGain, depth));
  };
  return computedPage(lake, asked, { name: `trends ${platform} ${period}`, windowMs, rank });
};
