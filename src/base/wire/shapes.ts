import { z } from 'zod';
import { EVENT_KINDS, PERIODS, PLATFORMS } from '../../../schema/vocabulary.ts';

// Shapes of the interface, for the client, the service and the OpenAPI document. Instants are ISO
// 8601 text in UTC.

export const platformName = z.enum(PLATFORMS).meta({ description: 'A social video platform.' });
const periodName = z.enum(PERIODS).meta({ description: 'Rolling 24 hours, 7 days or 30 days.' });

const count = z.int().min(0);
export const instant = z.iso.datetime({ offset: true });
export const videoId = z.string().min(1).max(128);

/** A video in a list. The eight shown fields come first, in this order; further fields may follow. */
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
  asOf: instant.meta({ description: 'Instant of the data.' }),
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
        'volume / volume of the previous window - 1. Null unless both windows were observed alike.',
    }),
    platforms: z.array(
      z.object({ platform: platformName, volume: count.nullable(), views: count.nullable() }),
    ),
    sampled: z.literal(true).optional().meta({
      description:
        'Extension. True if the figures are computed from the videos in the lake, not pulled.',
    }),
    forecast: z
      .object({
        madeAt: instant.meta({ description: 'Instant of the volume that it starts from.' }),
        horizonHours: z.int().min(1),
        median: count,
        low: count.meta({ description: '8 in 10 outcomes lie between low and high.' }),
        high: count,
      })
      .optional()
      .meta({
        description: 'Extension. Forecast volume in a week, as of then. Absent without a forecast.',
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

/** Forecast of a video, from its newest snapshot at that time. */
const forecast = z
  .object({
    madeAt: instant.meta({ description: 'Instant of the snapshot that it starts from.' }),
    horizons: z
      .array(
        z.object({
          hours: z.int().min(1),
          median: count,
          low: count.meta({ description: '8 in 10 outcomes lie between low and high.' }),
          high: count,
        }),
      )
      .meta({ description: 'Only horizons with enough known outcomes.' }),
    topProbability: z.number().min(0).max(1).meta({
      description: 'Probability of growing more than 90 % of comparable videos.',
    }),
    overEdge: z
      .boolean()
      .optional()
      .meta({ description: 'True if it already grew more than 90 % of comparable videos.' }),
    overBy: instant.nullable().optional().meta({
      description: 'Instant by which 8 in 10 similar videos stopped rising. Null: unknown.',
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
          views: count.meta({ description: 'The count that the forecast starts from.' }),
          topProbability: z.number().min(0).max(1),
          madeAt: instant,
          median: count.nullable(),
          low: count.nullable(),
          high: count.nullable(),
          gain24h: z.int().min(0).nullable().meta({
            description: 'Expected views in the next 24 hours. Null: too few known outcomes.',
          }),
          overBy: instant.nullable().meta({
            description: 'Instant by which 8 in 10 similar videos stopped rising. Null: unknown.',
          }),
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
      description: 'Extension. The forecast as of then. Null without a forecast.',
    }),
    dailyBefore: instant.optional().meta({
      description:
        'Extension. Older days have their first, last and peak snapshot only. Absent at full resolution.',
    }),
    asOf: instant,
  })
  .meta({ id: 'Growth' });

/** `GET /videos/{id}` (extension): one video as last seen. */
export const videoResponse = contentItem.extend({ asOf: instant }).meta({ id: 'Video' });

/** An event of `GET /events` (extension). */
const eventItem = z
  .object({
    id: z.string(),
    kind: z.enum(EVENT_KINDS),
    platform: platformName.nullable().meta({ description: 'Null: over all platforms.' }),
    subject: z.string().meta({ example: 'video:tt_7240348510065823002' }),
    occurredAt: instant,
    detectedAt: instant,
    origin: z
      .string()
      .meta({ description: '`trendlake`, or `upstream` if it was received as a webhook.' }),
    data: z.unknown().meta({ description: 'Subject, window and the numbers behind it.' }),
  })
  .meta({ id: 'Event' });

export const eventsResponse = z.object(envelope(eventItem)).meta({ id: 'Events' });

/** Webhook body of an event. */
export const deliveredEvent = z
  .object({
    type: z.enum(EVENT_KINDS),
    timestamp: instant.meta({ description: 'Instant of the event.' }),
    data: z.object({
      id: z.string().meta({ description: 'Id of the event, the same in every delivery.' }),
      platform: platformName.nullable().meta({ description: 'Null: over all platforms.' }),
      subject: z.object({
        kind: z.enum(['video', 'creator', 'hashtag', 'niche']),
        id: z.string(),
        url: z.string().optional(),
      }),
      window: z.object({ from: instant, to: instant }),
      evidence: z.record(z.string(), z.unknown()).meta({ description: 'The numbers behind it.' }),
    }),
  })
  .meta({ id: 'DeliveredEvent' });

const allowance = z.object({
  limit: count,
  used: count,
  remaining: count,
  resetsAt: instant.meta({ description: 'Instant at which the next call is available.' }),
});

/** `GET /usage` (extension): limits and use of the calling key. */
export const usageResponse = z
  .object({
    key: z.string().meta({ description: 'Id of the key; never the key itself.' }),
    shared: z.boolean().meta({
      description: 'True if all services with the same shared ledger count this key together.',
    }),
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
