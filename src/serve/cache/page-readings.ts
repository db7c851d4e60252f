import type { Platform } from '../../../schema/vocabulary.ts';
import { type KeptVolume, risingHashtags } from '../../forecast/hashtags/read-volumes.ts';
import { type RisingQuery, type RisingVideo, risingVideos } from '../../forecast/read.ts';
import { type ForecastStanding, forecastStanding } from '../../forecast/standing.ts';
import { type CreatorsQuery, creatorsPage } from '../../history/creator-lists.ts';
import { type EventsQuery, eventsPage } from '../../history/event-list.ts';
import { type TaggedPage, type TaggedPageQuery, taggedPage } from '../../history/tagged-videos.ts';
import { findingsAbout } from '../../lab/analyze.ts';
import type { Lake } from '../../lake/open.ts';
import { type DeliveriesQuery, deliveriesPage } from '../../webhooks/deliveries.ts';

// What pages read that may take long, each from plain data to plain data, so that a thread can read it.

/** Videos and hashtags expected to rise. */
export interface Rising {
  readonly videos: readonly RisingVideo[];
  /** Of each platform asked for that has any. */
  readonly tags: readonly (readonly KeptVolume[])[];
}

const rising = (
  { sqlite }: Lake,
  { tagsOf, ...query }: RisingQuery & { readonly tagsOf: readonly (Platform | '')[] },
): Rising => ({
  videos: risingVideos(sqlite, query),
  tags: tagsOf
    .map((platform) => risingHashtags(sqlite, { platform, at: query.at, limit: query.limit }))
    .filter((list) => list.length > 0),
});

/** The readings by name. */
const PAGE_READINGS = {
  rising,
  standing: ({ sqlite }: Lake, at: number): ForecastStanding => forecastStanding(sqlite, at),
  tagged: (lake: Lake, query: TaggedPageQuery): TaggedPage => taggedPage(lake, query),
  events: (lake: Lake, query: EventsQuery) => eventsPage(lake, query),
  creators: (lake: Lake, query: CreatorsQuery) => creatorsPage(lake, query),
  findings: (lake: Lake, query: { readonly id: string; readonly asOf: number }) =>
    findingsAbout(lake, query),
  deliveries: (lake: Lake, query: DeliveriesQuery) => deliveriesPage(lake, query),
} as const;

type Readings = typeof PAGE_READINGS;
export type PageReading = keyof Readings;
export type QueryOf<Name extends PageReading> = Parameters<Readings[Name]>[1];
export type FoundOf<Name extends PageReading> = ReturnType<Readings[Name]>;

/** One reading wanted. */
export type PageQuery = {
  readonly [Name in PageReading]: { readonly name: Name; readonly query: QueryOf<Name> };
}[PageReading];

/** Reads it, as the thread does. */
export const readForPage = (lake: Lake, { name, query }: PageQuery): FoundOf<PageReading> => {
  switch (name) {
    case 'rising':
      return PAGE_READINGS.rising(lake, query);
    case 'standing':
      return PAGE_READINGS.standing(lake, query);
    case 'tagged':
      return PAGE_READINGS.tagged(lake, query);
    case 'events':
      return PAGE_READINGS.events(lake, query);
    case 'creators':
      return PAGE_READINGS.creators(lake, query);
    case 'findings':
      return PAGE_READINGS.findings(lake, query);
    case 'deliveries':
      return PAGE_READINGS.deliveries(lake, query);
  }
};
