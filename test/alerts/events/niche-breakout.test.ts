import { describe, expect, test } from 'vitest';
import {
  type ListCapture,
  type NicheVideo,
  nicheBreakouts,
} from '../../../src/alerts/events/niche-breakout.ts';
import { THRESHOLDS } from '../../../src/alerts/events/thresholds.ts';
import { DAY_MS } from '../../../src/base/durations.ts';

const T0 = Date.UTC(2026, 2, 1);
const limits = THRESHOLDS.tiktok.niche;
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };

const filler = (day: number, count: number): NicheVideo[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `tt_${day}_${index}`,
    user: `user${index}`,
    tags: ['fyp', `only${day}x${index}`],
  }));
const niche = (day: number, count: number, creators: number): NicheVideo[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `tt_n${day}_${index}`,
    user: `maker${index % creators}`,
    tags: ['fyp', 'goblincore', 'mossy', ...(index % 2 === 0 ? ['cottage'] : [])],
  }));
const night = (
  day: number,
  members: number,
  creators = members,
  list = 'feed 24h',
): ListCapture => ({
  list,
  at: T0 + day * DAY_MS,
  videos: [...niche(day, members, creators), ...filler(day, 100 - members)],
});
const quietNights = (count: number): ListCapture[] =>
  Array.from({ length: count }, (_, day) => night(day, 1));
const found = (captures: readonly ListCapture[]) => nicheBreakouts(captures, everything, limits);

describe('niche.breakout', () => {
  test('notices a cluster of tags that several creators carry into a list', () => {
    const events = found([...quietNights(7), night(7, 8), night(8, 12)]);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      id: 'goblincore+mossy',
      window: { to: T0 + 7 * DAY_MS },
      evidence: { videos: 8, creators: 8, share: 0.08, list: 'feed 24h' },
    });
  });

  test.each([
    ['one creator with many videos', [...quietNights(7), night(7, 8, 1)]],
    [
      'one creator whose handle is written in many ways',
      [
        ...quietNights(7),
        {
          ...night(7, 8),
          videos: [
            ...['Élo', 'élo', 'ÉLO', '@élo', '@ÉLO', 'e\u0301lo', 'E\u0301LO', '@e\u0301lo'].map(
              (user, index) => ({ id: `tt_s${index}`, user, tags: ['fyp', 'goblincore', 'mossy'] }),
            ),
            ...filler(7, 92),
          ],
        },
      ],
    ],
    [
      'one creator with most of them',
      [
        ...quietNights(7),
        { ...night(7, 4), videos: [...niche(7, 4, 4), ...niche(17, 8, 1), ...filler(7, 88)] },
      ],
    ],
    ['a first capture', [night(0, 12)]],
    ['too short a past', [...quietNights(3), night(4, 12)]],
    ['a niche that was always there', Array.from({ length: 9 }, (_, day) => night(day, 10))],
    [
      'a niche that was as large before',
      [...quietNights(4), night(4, 11), night(5, 1), night(6, 1), night(9, 9)],
    ],
    ['a tag everybody uses', [...quietNights(7), night(7, 60)]],
    ['a list too short', [...quietNights(7), { ...night(7, 8), videos: niche(7, 8, 8) }]],
  ])('is silent over %s', (_, captures) => {
    expect(found(captures)).toEqual([]);
  });

  test('speaks once for a niche seen in two lists', () => {
    const trends = Array.from({ length: 8 }, (_, day) =>
      night(day, day === 7 ? 9 : 1, 9, 'trends day'),
    );
    expect(found([...quietNights(7), night(7, 8), ...trends])).toHaveLength(1);
  });

  test('night by night finds what looking once finds, in any order', () => {
    const captures = [
      ...quietNights(7),
      night(7, 8),
      night(8, 12),
      ...[9, 10, 11, 12, 13, 14, 15, 16].map((day) => night(day, 1)),
      night(17, 20),
    ];
    const whole = found(captures);
    const nightly = captures.flatMap(({ at }) =>
      nicheBreakouts(
        captures.filter((one) => one.at <= at),
        { from: at - DAY_MS, to: at },
        limits,
      ),
    );
    expect(whole).toHaveLength(2);
    expect(nightly).toEqual(whole);
    expect(found(captures.toReversed())).toEqual(whole);
  });
});
