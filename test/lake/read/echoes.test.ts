import { expect, test } from 'vitest';
import { sourceCode } from '../../../schema/vocabulary.ts';
import { detectEvents } from '../../../src/alerts/events/detect.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { Echoes } from '../../../src/lake/read/echoes.ts';
import { CurveReader } from '../../../src/learn/model/lake-curves.ts';
import { freshLake, putVideo } from '../../alerts/events/made-lake.ts';

const T0 = Date.UTC(2026, 2, 1);
const FEED = sourceCode('feed');

test('a list that repeats known counts is an echo; a timeline that does is not', () => {
  const echoes = new Echoes();
  const seen = (source: number, views: number | null, likes: number | null) =>
    echoes.isEcho(source, views, likes);
  expect(seen(FEED, 10, 1)).toBe(false);
  expect(seen(FEED, 10, 1)).toBe(true);
  expect(seen(FEED, 10, null)).toBe(true);
  expect(seen(FEED, 10, 2)).toBe(false);
  expect(seen(sourceCode('growth'), 10, 2)).toBe(false);
  expect(seen(sourceCode('import'), 10, 2)).toBe(false);
  expect(seen(FEED, 9, 2)).toBe(false);
});

test('neither an event nor a curve begins at an echo', () => {
  const lake = freshLake();
  const counted = (day: number) => [T0 + day * DAY_MS, 100_000 + day * 5_000] as const;
  const key = putVideo(lake, {
    id: 'tt_1',
    createdAt: T0 - DAY_MS,
    snapshots: [
      ...[0, 1, 2, 3].map(counted),
      [T0 + 3.5 * DAY_MS, 115_000], // repeated
      [T0 + 4 * DAY_MS, 1_020_000],
    ],
  });
  const [event] = detectEvents(lake, { from: T0, to: T0 + 5 * DAY_MS });
  expect(event).toMatchObject({
    window: { from: T0 + 3 * DAY_MS, to: T0 + 4 * DAY_MS },
    evidence: { viewsBefore: 115_000 },
  });
  const curve = new CurveReader(lake.sqlite).curve(key, null, T0 + 5 * DAY_MS);
  expect(curve?.points.map(({ at }) => (at - T0) / DAY_MS)).toEqual([0, 1, 2, 3, 4]);
});
