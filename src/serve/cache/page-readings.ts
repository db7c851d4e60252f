import type { Platform } from '../../../schema/vocabulary.ts';
import { type DeliveriesQuery, deliveriesPage } from '../../alerts/webhooks/deliveries.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { computeList, type ListRowsQuery } from '../../lake/lists/computed-list.ts';
import { type CreatorsQuery, creatorRise, creatorsPage } from '../../lake/lists/creator-lists.ts';
import { type EventsQuery, eventsPage, newestEvents } from '../../lake/lists/event-list.ts';
import { pulledHashtag } from '../../lake/lists/hashtag-list.ts';
import type { Paging } from '../../lake/lists/list-page.ts';
import type { Lake } from '../../lake/open.ts';
import { contentItems } from '../../lake/read/content-items.ts';
import { creatorProfile, creatorVideos } from '../../lake/read/creator-profile.ts';
import { readHashtagHistory } from '../../lake/read/hashtag-history.ts';
import {
  type TaggedPage,
  type TaggedPageQuery,
  taggedPage,
} from '../../lake/read/tagged-videos.ts';
import { type RisingQuery, risingVideos } from '../../learn/forecast/read.ts';
import type { RisingVideo } from '../../learn/forecast/shapes.ts';
import { type ForecastStanding, forecastStanding } from '../../learn/forecast/standing.ts';
import { type KeptVolume, risingHashtags } from '../../learn/volumes/read-volumes.ts';
import { findingsAbout } from '../../learn/why/analyze.ts';

// Slow reads of pages. Queries and results are plain data, for threads.

export interface Rising {
  readonly videos: readonly RisingVideo[];
  /** Videos already on top. */
  readonly risen: readonly RisingVideo[];
  /** One list per platform with forecasts. */
  readonly tags: readonly (readonly KeptVolume[])[];
}

const rising = (
  { sqlite }: Lake,
  { tagsOf, ...query }: RisingQuery & { readonly tagsOf: readonly (Platform | '')[] },
): Rising => ({
  videos: risingVideos(sqlite, query),
  risen: risingVideos(sqlite, { ...query, list: 'risen', limit: Math.ceil(query.limit / 2) }),
  tags: tagsOf
    .map((platform) => risingHashtags(sqlite, { platform, at: query.at, limit: query.limit }))
    .filter((list) => list.length > 0),
});

interface HashtagQuery {
  readonly key: number;
  readonly asOf: number; // Unix ms
  /** Window of the pulled list. */
  readonly dateRange: string;
}

interface CreatorQuery {
  readonly platform: Platform;
  readonly handle: string;
  readonly asOf: number; // Unix ms
}

const READINGS = {
  list: (lake: Lake, query: ListRowsQuery) => computeList(lake, query),
  noticed: (lake: Lake, query: EventsQuery) => newestEvents(lake, query),
  rising,
  standing: ({ sqlite }: Lake, at: number): ForecastStanding => forecastStanding(sqlite, at),
  tagged: (lake: Lake, query: TaggedPageQuery): TaggedPage & { items: ContentItem[] } => {
    const page = taggedPage(lake, query);
    const entries = page.keys.map((key) => ({ key, rank: null, score: null, velocity: null }));
    return { ...page, items: contentItems(lake, entries, query.asOf) };
  },
  hashtag: (lake: Lake, { key, asOf, dateRange }: HashtagQuery) => ({
    pulled: pulledHashtag(lake, { key, dateRange, asOf }),
    series: readHashtagHistory(lake, key, asOf),
  }),
  creator: (lake: Lake, query: CreatorQuery) => ({
    profile: creatorProfile(lake, { ...query, limit: 1 }),
    rise: creatorRise(lake, query),
  }),
  creatorVideos: (lake: Lake, query: CreatorQuery & Paging) => creatorVideos(lake, query),
  events: (lake: Lake, query: EventsQuery) => eventsPage(lake, query),
  creators: (lake: Lake, query: CreatorsQuery) => creatorsPage(lake, query),
  findings: (lake: Lake, query: { readonly id: string; readonly asOf: number }) =>
    findingsAbout(lake, query),
  deliveries: (lake: Lake, query: DeliveriesQuery) => deliveriesPage(lake, query),
} as const;

export type PageReading = keyof typeof READINGS;
type QueriesByName = { [Name in PageReading]: Parameters<(typeof READINGS)[Name]>[1] };
type FoundByName = { [Name in PageReading]: ReturnType<(typeof READINGS)[Name]> };
export type QueryOf<Name extends PageReading> = QueriesByName[Name];
export type FoundOf<Name extends PageReading> = FoundByName[Name];

/** `READINGS`, typed so that TypeScript matches a query to its reading. */
const PAGE_READINGS: {
  readonly [Name in PageReading]: (lake: Lake, query: QueryOf<Name>) => FoundOf<Name>;
} = READINGS;

export type PageQuery<Name extends PageReading = PageReading> = {
  readonly [One in Name]: { readonly name: One; readonly query: QueryOf<One> };
}[Name];

export const readForPage = <Name extends PageReading>(
  lake: Lake,
  { name, query }: PageQuery<Name>,
): FoundOf<Name> => PAGE_READINGS[name](lake, query);
