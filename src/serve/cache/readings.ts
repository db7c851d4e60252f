import type { Platform } from '../../../schema/vocabulary.ts';
import { type DeliveriesQuery, deliveriesPage } from '../../alerts/webhooks/deliveries.ts';
import type { Clock } from '../../base/clock.ts';
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
import { type SearchQuery, searchPage } from '../../lake/search/search.ts';
import { type RisingQuery, risingVideos } from '../../learn/forecast/read.ts';
import type { RisingVideo } from '../../learn/forecast/shapes.ts';
import { type ForecastState, forecastStates } from '../../learn/forecast/state.ts';
import { type Scored, scoredWeeks } from '../../learn/forecast/weeks.ts';
import { type KeptVolume, risingHashtags } from '../../learn/volumes/read-volumes.ts';
import { findingsAbout } from '../../learn/why/analyze.ts';

// Reads that may be slow. Queries and results are plain data, for threads.

export interface Rising {
  readonly videos: readonly RisingVideo[];
  /** Videos already on top. */
  readonly risen: readonly RisingVideo[];
  /** One list per platform with forecasts. */
  readonly tags: readonly (readonly KeptVolume[])[];
}

/** Forecasts, the scores of earlier ones, and the state of the models. */
export interface ForecastsFound {
  readonly rising: Rising;
  readonly scored: Scored;
  readonly states: readonly ForecastState[];
}

type ForecastsQuery = RisingQuery & { readonly tagsOf: readonly (Platform | '')[] };

const rising = ({ sqlite }: Lake, { tagsOf, ...query }: ForecastsQuery): Rising => ({
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
  search: (lake: Lake, query: SearchQuery, clock: Clock) => searchPage(lake, query, clock),
  noticed: (lake: Lake, query: EventsQuery) => newestEvents(lake, query),
  rising,
  forecasts: (lake: Lake, query: ForecastsQuery): ForecastsFound => ({
    rising: rising(lake, query),
    scored: scoredWeeks(lake.sqlite, query.at), // 0.1 s on a large lake
    states: forecastStates(lake.sqlite, query.at),
  }),
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

export type Reading = keyof typeof READINGS;
type QueriesByName = { [Name in Reading]: Parameters<(typeof READINGS)[Name]>[1] };
type FoundByName = { [Name in Reading]: ReturnType<(typeof READINGS)[Name]> };
export type QueryOf<Name extends Reading> = QueriesByName[Name];
export type FoundOf<Name extends Reading> = FoundByName[Name];

/** `READINGS`, typed so that TypeScript matches a query to its reading. */
const BY_NAME: {
  readonly [Name in Reading]: (lake: Lake, query: QueryOf<Name>, clock: Clock) => FoundOf<Name>;
} = READINGS;

export type ReadQuery<Name extends Reading = Reading> = {
  readonly [One in Name]: { readonly name: One; readonly query: QueryOf<One> };
}[Name];

export const readNow = <Name extends Reading>(
  lake: Lake,
  { name, query }: ReadQuery<Name>,
  /** Real time. */
  clock: Clock,
): FoundOf<Name> => BY_NAME[name](lake, query, clock);
