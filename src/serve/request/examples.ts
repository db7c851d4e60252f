// Responses by operation id, from the sandbox at 2026-03-10T12:00:00Z with shortened lists. A test checks their schemas.

const dance = {
  id: 'tt_7603895131421137419',
  platform: 'tiktok',
  title: 'ok but dancing with strangers?? #choreography #dance #dancetok2 #fyp',
  user: 'its.wren.moves',
  views: 153778412,
  likes: 20811891,
  engagementRate: 13.533688330713156,
  createdAt: '2026-02-06T23:16:37.000Z',
  hashtags: ['choreography', 'dance', 'dancetok2', 'fyp'],
  rank: 1,
  score: 1.9951923076923077,
  velocity: 22087.266226303385,
  durationSec: 23,
  lang: 'en',
};
const unranked = { ...dance, score: null, velocity: null };
const asOf = '2026-03-10T12:00:00.000Z';

const event = {
  id: 'evt_5b0c41d2f7a98e365b0c41d2f7a98e36',
  kind: 'trend.spike',
  platform: 'tiktok',
  subject: 'video:tt_7603895131421137419',
  occurredAt: '2026-02-07T02:32:19.000Z',
  detectedAt: '2026-02-07T03:00:04.000Z',
  origin: 'trendlake',
  data: {
    id: 'evt_5b0c41d2f7a98e365b0c41d2f7a98e36',
    platform: 'tiktok',
    subject: { kind: 'video', id: 'tt_7603895131421137419' },
    window: { from: '2026-02-07T01:22:37.000Z', to: '2026-02-07T02:32:19.000Z' },
    evidence: { views: 4593267, viewsBefore: 2866226, viewsPerHour: 1486692.4, ratio: 41.3 },
  },
};

const subscription = {
  id: 'sub_3a985e05619f043562e6d4ef',
  url: 'https://example.com/hook',
  events: ['trend.spike'],
  platforms: [],
  subjects: [],
  tags: [],
  createdAt: '2026-03-01T09:30:00.000Z',
  state: 'enabled',
  reason: null,
};
const watch = {
  id: 'w_96801ded1c6a',
  kind: 'creator',
  platform: 'tiktok',
  subject: 'its.wren.moves',
  everyMs: 21_600_000,
  tags: ['acme'],
  callsPerMonth: 120,
  note: null,
  until: null,
  lastAt: '2026-03-10T06:35:02.000Z',
  nextAt: '2026-03-10T12:35:02.000Z',
  pausedAt: null,
  pausedReason: null,
};
const listOfOne = (item: object) => ({ total: 1, page: 1, items: [item], asOf });
const SECRET = 'whsec_c2VjcmV0cyBpbiBkb2N1bWVudHMgYXJlIG5vIHNlY3JldHM=';

/** The body that a subscription is sent. */
export const EXAMPLE_DELIVERY = {
  type: event.kind,
  timestamp: event.occurredAt,
  data: event.data,
};

/** A whole body of each operation that answers with one. */
export const EXAMPLE_RESPONSES: Readonly<Record<string, object>> = {
  getFeed: listOfOne(dance),
  getTrends: { ...listOfOne(dance), platform: 'tiktok', period: 'week' },
  getHashtags: listOfOne({
    tag: 'fyp',
    volume: 3860,
    views: 789432070,
    change: -0.005410976552434943,
    platforms: [
      { platform: 'tiktok', volume: 1097, views: 314879419 },
      { platform: 'instagram', volume: 1503, views: 285406468 },
      { platform: 'youtube', volume: 1260, views: 189146183 },
    ],
  }),
  getCreator: {
    platform: 'tiktok',
    handle: 'its.wren.moves',
    followers: 795806,
    videoCount: 22,
    views: 172666635,
    likes: 21821818,
    engagementRate: 12.63812085062062,
    videos: [unranked],
    growth: [
      { at: '2026-02-06T09:28:37.000Z', followers: 705994, views: 15768399, likes: 792980 },
      { at: '2026-02-07T09:28:37.000Z', followers: 708859, views: 29359436, likes: 2902024 },
    ],
    asOf,
  },
  getGrowth: {
    id: dance.id,
    platform: 'tiktok',
    snapshots: [
      {
        at: '2026-02-07T00:19:18.000Z',
        views: 1341618,
        likes: 241324,
        engagementRate: 17.987534454665933,
      },
      {
        at: '2026-02-07T01:22:37.000Z',
        views: 2866226,
        likes: 492608,
        engagementRate: 17.186641946587603,
      },
      {
        at: '2026-02-07T02:32:19.000Z',
        views: 4593267,
        likes: 767404,
        engagementRate: 16.707149834747252,
      },
    ],
    curve: {
      points: [
        { at: '2026-02-07T01:22:37.000Z', views: 2866226, viewsPerHour: 1444731.5 },
        { at: '2026-02-07T02:32:19.000Z', views: 4593267, viewsPerHour: 1486692.4 },
      ],
      peak: { at: '2026-02-07T02:32:19.000Z', viewsPerHour: 1486692.4 },
      doublingHours: 3.1,
      phase: 'rising',
    },
    asOf,
  },
  getVideo: { ...unranked, rank: null, asOf },
  search: listOfOne(unranked),
  getForecasts: {
    ...listOfOne({
      rank: 1,
      id: dance.id,
      platform: 'tiktok',
      title: dance.title,
      user: dance.user,
      views: 4593267,
      topProbability: 0.83,
      gain24h: 31_400,
      overBy: '2026-03-12T09:00:00.000Z',
      madeAt: '2026-02-07T02:32:19.000Z',
      median: 21300000,
      low: 12400000,
      high: 35900000,
    }),
    platform: 'tiktok',
    horizonHours: 24,
  },
  getEvents: listOfOne(event),
  getUsage: {
    key: 'key__FRvN2JHsn27',
    shared: false,
    minute: { limit: 60, used: 11, remaining: 49, resetsAt: '2026-03-10T12:00:58.258Z' },
    month: { limit: 50000, used: 812, remaining: 49188, resetsAt: '2026-04-01T00:00:00.000Z' },
    days: [{ day: '2026-03-10', requests: 11, refused: 0 }],
    asOf,
  },
  analyze: {
    id: dance.id,
    platform: 'tiktok',
    method: 'statistical',
    generatedAt: asOf,
    summary:
      'It does better than most. With 153,778,412 views it is above 99.9 % of 1,446 videos published within 7.9 days of it (95 % interval 99.6 % to 100 %).',
    why: [
      {
        factor: 'age-cohort',
        finding:
          'With 153,778,412 views it is above 99.9 % of 1,446 videos published within 7.9 days of it (95 % interval 99.6 % to 100 %).',
        strength: 0.992,
        evidence: {
          groupSize: 1446,
          sampled: false,
          smallGroup: false,
          value: 153778412,
          groupMedian: 29352,
          shareBelow: 0.9993,
          interval: [0.9961, 0.9999],
          confidence: 0.95,
          direction: 'for',
        },
      },
    ],
    recipe: {
      hook: 'Open with the strangers, before a word is said.',
      format: 'Vertical, 15 to 30 seconds, one take.',
      caption: 'A question in fewer than eight words.',
      hashtags: ['dance', 'choreography'],
      postingWindows: [
        {
          weekday: 'Friday',
          fromHour: 22,
          toHour: 1,
          finding:
            '11 % of 285 such videos reach the top 10 % by views, compared with 10 % of the others.',
        },
      ],
      steps: ['Film where people pass by.', 'Cut to the first step within a second.'],
    },
  },
  getWebhooks: listOfOne(subscription),
  createWebhook: { ...subscription, secret: SECRET },
  createWatch: watch,
  getWatches: listOfOne(watch),
  getWebhook: { ...subscription, asOf },
  getDeliveries: listOfOne({
    id: `${event.id}.${subscription.id}`,
    event: event.id,
    kind: 'trend.spike',
    subject: event.subject,
    state: 'delivered',
    attempts: 1,
    status: 204,
    error: null,
    attemptedAt: '2026-03-10T11:58:02.120Z',
    nextAttemptAt: null,
  }),
  rotateWebhook: { id: subscription.id, secret: SECRET },
  testWebhook: { delivered: true, status: 204, error: null, durationMs: 84 },
  getOpenApi: { openapi: '3.1.0', info: { title: 'trendlake', version: '1.0.0' }, paths: {} },
};

/** A whole body to send, for each operation that takes one. */
export const EXAMPLE_BODIES: Readonly<Record<string, object>> = {
  analyze: { id: dance.id },
  createWebhook: { url: 'https://example.com/hook', events: ['trend.spike'] },
  createWatch: { subject: '@its.wren.moves', platform: 'tiktok', every: '6h', tags: ['acme'] },
};
