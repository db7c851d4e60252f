import { expect, test } from 'vitest';
import { eventSentence, eventText } from '../../../src/lake/read/event-sentence.ts';

const window = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-01T04:00:00.000Z' };

test.each([
  [
    'trend.spike',
    {
      rule: 'pace',
      views: 206_981,
      viewsBefore: 84_357,
      gain: 122_624,
      viewsPerHour: 30_656,
      expectedViewsPerHour: 9130,
      ratio: 3.336,
      ageHours: 8.2,
    },
    'It gained 122,624 views in 4 h, from 84,357 to 206,981: 30,656 an hour, 3.3 times the 9,130 expected from its past pace and age, 8.2 h after it was published.',
  ],
  [
    'trend.spike',
    {
      rule: 'pace',
      views: 20,
      viewsBefore: 10,
      gain: 10,
      viewsPerHour: 5000,
      expectedViewsPerHour: 0.2,
      ratio: 25_000,
      ageHours: null,
    },
    'It gained 10 views in 4 h, from 10 to 20: 5,000 an hour, where its past pace and age suggest less than one.',
  ],
  [
    'trend.spike',
    {
      rule: 'forecast',
      topProbability: 0.82,
      threshold: 0.7,
      views: 5000,
      viewsIn24h: 90_000,
      viewsIn24hLow: 40_000,
      viewsIn24hHigh: 200_000,
    },
    '82 % likely to finish in the top 10 % (we alert from 70 %), 5,000 views now, 90,000 expected in 24 h (8 in 10 videos land between 40,000 and 200,000).',
  ],
  [
    'creator.viral',
    {
      reason: 'video',
      video: 'tt_1',
      views: 2_564_320,
      viewsBefore: 2_311_732,
      bar: 2_537_120,
      median: 253_712,
      videos: 29,
      timesMedian: 10.107,
    },
    "tt_1 rose from 2,311,732 to 2,564,320 views and passed 2,537,120: 10.1 times the median of 253,712 of the creator's other 29 videos.",
  ],
  [
    'creator.viral',
    { reason: 'top', video: 'tt_1', list: 'feed 24h', rank: 2, watchedDays: 13 },
    'tt_1 is the first to reach rank 2 of feed 24h, watched for 13 days.',
  ],
  [
    'hashtag.rising',
    { measure: 'volume', volume: 900, usual: 300, ratio: 2.875, snapshots: 9 },
    '900 videos use it, usually 300: 2.9 times as many, over 9 snapshots.',
  ],
  [
    'niche.breakout',
    {
      list: 'trends day',
      tags: ['a', 'b'],
      videos: 17,
      creators: 15,
      share: 0.085,
      usualShare: 0.02,
      ratio: 3.167,
      listed: 200,
    },
    '17 videos of 15 creators make up 8.5 % of the trends day (200 videos), usually 2 %: 3.2 times as much. Their tags: a, b.',
  ],
] as const)('%s has a sentence with its numbers', (kind, evidence, sentence) => {
  expect(eventSentence(kind, { window, evidence })).toBe(sentence);
});

test('words evidence of 0.1.0 like that of today', () => {
  const spike = { looks: 7, views: 207, viewsBefore: 84, gain: 123, viewsPerHour: 31 };
  expect(
    eventSentence('trend.spike', { evidence: { ...spike, expectedViewsPerHour: 9, ratio: 3.4 } }),
  ).toBe(
    'It gained 123 views, from 84 to 207: 31 an hour, 3.4 times the 9 expected from its past pace and age.',
  );
  const rising = { measure: 'volume', volume: 900, usual: 300, ratio: 3, looks: 9 };
  expect(eventSentence('hashtag.rising', { evidence: rising })).toMatch(/, over 9 snapshots\.$/);
});

test.each([
  [
    { rule: 'forecast', topProbability: 0.634, threshold: 0.4 },
    '63 % likely to finish in the top 10 % (we alert from 40 %).',
  ],
  [{ trendScore: 9.25, why: 'ours' }, 'trend score 9.3, why ours.'],
  [{}, 'Reported by the API, without numbers.'],
  [undefined, 'Reported by the API, without numbers.'],
])('words incomplete evidence and that of another shape: %o', (evidence, sentence) => {
  expect(eventSentence('trend.spike', { evidence })).toBe(sentence);
});

test('a headline has the main number, and the detail does not repeat it', () => {
  const evidence = {
    rule: 'forecast',
    topProbability: 0.82,
    threshold: 0.7,
    views: 5000,
    viewsIn24h: 90_000,
    viewsIn24hLow: 40_000,
    viewsIn24hHigh: 200_000,
  };
  expect(eventText('trend.spike', { window, evidence })).toMatchObject({
    headline: '82 % likely to finish in the top 10 %',
    detail:
      '5,000 views now, 90,000 expected in 24 h (8 in 10 videos land between 40,000 and 200,000). We alert from 70 %.',
  });
  const top = { reason: 'top', video: 'tt_1', list: 'trends day', rank: 2, watchedDays: 13 };
  expect(eventText('creator.viral', { evidence: top }).headline).toBe(
    'First time at rank 2 of the trends of the day',
  );
  expect(eventText('trend.spike', { evidence: { odd: 1 } })).toEqual({
    sentence: 'odd 1.',
    detail: 'odd 1.',
  });
});
