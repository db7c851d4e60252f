import type { Platform } from '../../../schema/vocabulary.ts';
import type { HorizonForecast } from '../model/model-forecast.ts';

// Shapes of stored forecasts and of the lists made from them. Free of SQLite, so that the package's
// declarations need no other package's types.

/** Views ahead; null with too few outcomes. */
export interface KeptHorizon {
  readonly hours: number;
  readonly median: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** A stored forecast. Instants are Unix ms. */
export interface KeptForecast {
  readonly madeAt: number;
  readonly topProbability: number;
  /** True if its growth already reached the edge of the top 10 %. */
  readonly overEdge: boolean;
  /** Instant by which 8 in 10 similar videos stopped rising; null: unknown. */
  readonly overBy: number | null;
  /** Finished curves of its model. */
  readonly samples: number;
  readonly learntAt: number;
  readonly horizons: readonly KeptHorizon[];
}

/** A forecast in an API response, with known horizons only. */
export interface ShownForecast {
  readonly madeAt: string; // ISO 8601
  readonly horizons: HorizonForecast[];
  readonly topProbability: number;
  readonly overEdge: boolean;
  readonly overBy: string | null; // ISO 8601
}

/** A video that may finish on top, or that is there already. */
export interface RisingVideo extends KeptHorizon {
  readonly id: string;
  readonly platform: Platform;
  readonly title: string | null;
  readonly user: string | null;
  /** Count at the snapshot of the forecast. */
  readonly views: number;
  readonly topProbability: number;
  readonly madeAt: number;
  /** Expected views in the next 24 hours; null: too few outcomes. */
  readonly gain24h: number | null;
  /** Instant by which 8 in 10 similar videos stopped rising, Unix ms; null: unknown. */
  readonly overBy: number | null;
}

/** `next`: not yet among the top 10 % by growth; `risen`: already there. */
export const RISING_LISTS = ['next', 'risen'] as const;
export type RisingList = (typeof RISING_LISTS)[number];

export interface RisingPage {
  readonly total: number;
  /** Ranks count over all pages; instants ISO 8601. */
  readonly items: readonly (Omit<RisingVideo, 'madeAt' | 'overBy' | 'hours'> & {
    readonly rank: number;
    readonly madeAt: string;
    readonly overBy: string | null;
  })[];
  /** Newest snapshot of the page, Unix ms; null for an empty page. */
  readonly newestAt: number | null;
}
