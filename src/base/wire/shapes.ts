import { z } from 'zod';
import { EVENT_KINDS, PERIODS, PLATFORMS } from '../../../schema/vocabulary.ts';

// What travels over the interface, once, for the client that reads it, the service that answers it
// and the OpenAPI document that describes it. Instants are ISO 8601 text in UTC.

export const platformName = z.enum(PLATFORMS).meta({ description: 'A social video platform.' });
const periodName = z.enum(PERIODS).meta({ description: 'Rolling 24 hours, 7 days or 30 days.' });

/** A count as the interface may state it: 0 to 2^53 - 1. */
const count = z.int().min(0);
export const instant = z.iso.datetime({ offset: true });
export const videoId = z.string().min(1).max(128);

/** A video in a list. The eight shown fields first, in their order; further fields may follow. */
export const contentItem = z
  .looseObject({
    id: videoId.meta({ example: 'tt_7240348510065823002' }),
    platform: platformName,
    title: z.string().nullable(),
    user: z.string().nullable().meta({ description: 'Handle of the creator.' }),
    views: count.nullable(),
    likes: count.nullable(),
    engagementRate: z.number().nullable().meta({ description: '100 x likes / views, percent.' }),
    createdAt: instant.nullable(),
    hashtags: z.array(z.string()).optional(),
    rank: z.int().min(1).nullish(),
    score: z.number().nullish(),
    velocity: z.number().nullish().meta({ description: 'Views per hour.' }),
  })
  .meta({ id: 'ContentItem' });
export type ContentItem = z.infer<typeof contentItem>;

const envelope = <T extends z.ZodType>(item: T) => ({
  total: count.meta({ description: 'Items that can be paged to.' }),
  matched: count.optional().meta({
    description: 'Extension: matching items as stated upstream, where it is more than `total`.',
  }),
  page: z.int().min(1),
  items: z.array(item),
  asOf: instant.meta({ description: 'The instant the response is true at.' }),
});

export const feedResponse = z.looseObject(envelope(contentItem)).meta({ id: 'Feed' });
export type FeedResponse = z.infer<typeof feedResponse>;

export const trendsResponse = z
  .looseObject({ ...envelope(contentItem), platform: platformName, period: periodName })
  .meta({ id: 'Trends' });

export const hashtagItem = z
  .looseObject({
    tag: z.string().meta({ description: 'Without #.', example: 'dance' }),
    volume: count
      .nullable()
      .meta({ description: 'Distinct videos seen with the tag inside dateRange.' }),
    views: count.nullable(),
    change: z.number().nullable().meta({
      description:
        'volume / volume of the equal window before - 1; null unless both windows were watched alike.',
    }),
    platforms: z.array(
      z.object({ platform: platformName, volume: count.nullable(), views: count.nullable() }),
    ),
    sampled: z.literal(true).optional().meta({
      description:
        'Extension: the figures are counted over the videos this service has seen, not pulled.',
    }),
    forecast: z
      .object({
        madeAt: instant.meta({ description: 'The volume it stands on.' }),
        horizonHours: z.int().min(1),
        median: count,
        low: count.meta({ description: '80 of 100 outcomes lie between low and high.' }),
        high: count,
      })
      .optional()
      .meta({
        description:
          'Extension: the volume a week ahead, as forecast then; absent where nothing was.',
      }),
  })
  .meta({ id: 'Hashtag' });
export type HashtagItem = z.infer<typeof hashtagItem>;

export const hashtagsResponse = z.looseObject(envelope(hashtagItem)).meta({ id: 'Hashtags' });
export type HashtagsResponse = z.infer<typeof hashtagsResponse>;

const creatorPoint = z.object({
  at: instant,
  followers: count.nullable(),
  views: count.nullable(),
  likes: count.nullable(),
});

export const creatorResponse = z
  .looseObject({
    platform: platformName,
    handle: z.string(),
    followers: count.nullable(),
    videoCount: count.nullable(),
    views: count.nullable(),
    likes: count.nullable(),
    engagementRate: z.number().nullable(),
    videos: z.array(contentItem),
    growth: z.array(creatorPoint),
    asOf: instant,
  })
  .meta({ id: 'Creator' });

const growthPhase = z.enum(['rising', 'peaking', 'fading', 'flat', 'unknown']);
const growthPoint = z.object({
  at: instant,
  views: count.nullable(),
  likes: count.nullable(),
  engagementRate: z.number().nullable(),
});
export const growthCurve = z
  .object({
    points: z.array(z.object({ at: instant, views: count, viewsPerHour: z.number() })),
    peak: z.object({ at: instant, viewsPerHour: z.number() }).nullable(),
    doublingHours: z.number().nullable(),
    phase: growthPhase,
  })
  .meta({ id: 'GrowthCurve' });
export type GrowthCurve = z.infer<typeof growthCurve>;

/** What was forecast of a video from its newest snapshot then. */
const forecast = z
  .object({
    madeAt: instant.meta({ description: 'The snapshot it stands on.' }),
    horizons: z
      .array(
        z.object({
          hours: z.int().min(1),
          median: count,
          low: count.meta({ description: '80 of 100 outcomes lie between low and high.' }),
          high: count,
        }),
      )
      .meta({ description: 'Only those that enough outcomes stand behind.' }),
    topProbability: z.number().min(0).max(1).meta({
      description: 'Of ending in the top tenth of growth among its like.',
    }),
  })
  .meta({ id: 'Forecast' });

/** `GET /forecasts/{platform}` (extension). */
export const forecastsResponse = z
  .looseObject({
    ...envelope(
      z
        .object({
          rank: z.int().min(1),
          id: videoId,
          platform: platformName,
          title: z.string().nullable(),
          user: z.string().nullable(),
          views: count.meta({ description: 'The count the forecast stands on.' }),
          topProbability: z.number().min(0).max(1),
          madeAt: instant,
          median: count.nullable(),
          low: count.nullable(),
          high: count.nullable(),
        })
        .meta({ id: 'RisingVideo' }),
    ),
    platform: platformName,
    horizonHours: z.int().min(1),
  })
  .meta({ id: 'Forecasts' });

export const growthResponse = z
  .looseObject({
    id: videoId,
    platform: platformName,
    snapshots: z.array(growthPoint),
    curve: growthCurve,
    forecast: forecast.nullable().optional().meta({
      description: 'Extension. What was forecast of it as of then; null where nothing was.',
    }),
    asOf: instant,
  })
  .meta({ id: 'Growth' });

/** `GET /videos/{id}` (extension): one video as last seen. */
export const videoResponse = contentItem.extend({ asOf: instant }).meta({ id: 'Video' });

/** An event as `GET /events` (extension) lists it. */
const eventItem = z
  .object({
    id: z.string(),
    kind: z.enum(EVENT_KINDS),
    platform: platformName.nullable().meta({ description: 'Null: over all platforms.' }),
    subject: z.string().meta({ example: 'video:tt_7240348510065823002' }),
    occurredAt: instant,
    detectedAt: instant,
    origin: z.string().meta({ description: '`trendlake`, or `upstream` where it was received.' }),
    data: z.unknown().meta({ description: 'Subject, window and the numbers that made it.' }),
  })
  .meta({ id: 'Event' });

export const eventsResponse = z.object(envelope(eventItem)).meta({ id: 'Events' });

/** The body that a subscription is sent for an event. */
export const deliveredEvent = z
  .object({
    type: z.enum(EVENT_KINDS),
    timestamp: instant.meta({ description: 'When it occurred.' }),
    data: z.object({
      id: z.string().meta({ description: 'Of the event, the same in every delivery of it.' }),
      platform: platformName.nullable().meta({ description: 'Null: over all platforms.' }),
      subject: z.object({
        kind: z.enum(['video', 'creator', 'hashtag', 'niche']),
        id: z.string(),
        url: z.string().optional(),
      }),
      window: z.object({ from: instant, to: instant }),
      evidence: z
        .record(z.string(), z.unknown())
        .meta({ description: 'The numbers that made it.' }),
    }),
  })
  .meta({ id: 'DeliveredEvent' });

const allowance = z.object({
  limit: count,
  used: count,
  remaining: count,
  resetsAt: instant.meta({ description: 'When the next call comes free.' }),
});

/** `GET /usage` (extension): what the asking key may spend and has spent. */
export const usageResponse = z
  .object({
    key: z.string().meta({ description: 'Id of the key; never the key itself.' }),
    minute: allowance,
    month: allowance,
    days: z.array(
      z.object({
        day: z.iso.date(),
        requests: count,
        refused: count.meta({ description: 'Requests answered 429; included in requests.' }),
      }),
    ),
    asOf: instant,
  })
  .meta({ id: 'Usage' });

/** An error, RFC 9457, as `application/problem+json`. */
export const problem = z
  .object({
    type: z.string().meta({ example: '/problems/invalid-parameter' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z.array(z.object({ parameter: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
