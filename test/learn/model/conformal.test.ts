import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/base/durations.ts';
import {
  type Answered,
  correctedRange,
  correctionsOf,
} from '../../../src/learn/model/conformal.ts';
import type { Curve, Point } from '../../../src/learn/model/curve.ts';
import { RandomStream } from '../../../src/sandbox/world/random-stream.ts';
import { T0 } from '../forecast/made-curves.ts';

const RAW = { low: 1, median: 2, high: 3 };

/** A curve at a first sight so many hours after its upload. */
const curveAt = (age: number, at = T0): Curve => ({
  createdAt: at - age * HOUR_MS,
  points: [{ at, views: 1000 }],
});

const answered = (curve: Curve, grew: number, hours = 24): Answered => ({
  hours,
  curve,
  now: curve.points[0] as Point,
  grew,
  ...RAW,
});

/** First seen over two days, or over so many hours. */
const youngCurves = (count: number, over = 48): Curve[] =>
  Array.from({ length: count }, (_, i) => curveAt(5, T0 + (i / count) * over * HOUR_MS));
const rangeFor = (rows: readonly Answered[], age: number, hours = 24) =>
  correctedRange(
    correctionsOf(rows),
    { hours, curve: curveAt(age), now: { at: T0, views: 1000 } },
    RAW,
  );

test('8 in 10 later outcomes of a class are inside its corrected interval', () => {
  const random = new RandomStream(0xc0, 1);
  const outcome = (): number => Math.max(0, 2 + 3 * (random.next() + random.next() - 1));
  const range = rangeFor(
    youngCurves(600).map((curve) => answered(curve, outcome())),
    5,
  );
  if (range === undefined) throw new Error('the class is silent');
  const later = Array.from({ length: 2000 }, outcome);
  const inside = later.filter((grew) => grew >= range.low && grew <= range.high).length;
  expect(inside / later.length).toBeGreaterThan(0.77);
  expect(inside / later.length).toBeLessThan(0.85);
});

test('a class with many curves moves away from its horizon; a small class hardly does', () => {
  const random = new RandomStream(0xc0, 2);
  const young = youngCurves(300).map((curve) => answered(curve, 2 + random.next() * 1.5));
  const oldRows = (count: number): Answered[] =>
    Array.from({ length: count }, () => answered(curveAt(400), 9 + random.next()));
  const many = rangeFor([...young, ...oldRows(200)], 400)?.high ?? 0;
  const few = rangeFor([...young, ...oldRows(3)], 400)?.high ?? 0;
  expect(many).toBeGreaterThan(7);
  expect(few).toBeLessThan(5);
  expect(rangeFor([...young, ...oldRows(3)], 5)?.high).toBeLessThan(5);
});

test('a young video’s interval is narrowed less than an old one’s, and both are widened alike', () => {
  const highAt = (age: number, grew: number): number => {
    const rows = youngCurves(300).map(({ points: [point] }) =>
      answered(curveAt(age, (point as Point).at), grew),
    );
    return rangeFor(rows, age)?.high ?? Number.NaN;
  };
  expect([highAt(5, 2.5), highAt(400, 2.5)]).toEqual([2.85, 2.5]); // 0.3, and all, of -0.5
  expect([highAt(5, 3.5), highAt(400, 3.5)]).toEqual([3.6, 3.6]); // 1.2 times 0.5
});

test('a curve with many rows weighs as much as a curve with one', () => {
  const calm = youngCurves(200).map((curve) => answered(curve, 2.5));
  const wild = curveAt(5);
  const rows = [...calm, ...Array.from({ length: 190 }, () => answered(wild, 50))];
  expect(rangeFor(rows, 5)?.high).toBeLessThanOrEqual(3);
});

test('a class whose median is hardly better than the count of today is silent', () => {
  const half = (grew: number) => youngCurves(150).map((curve) => answered(curve, grew));
  expect(rangeFor(half(1.05), 5)).toBeUndefined(); // error 0.95 of 1.05
  expect(rangeFor(half(2.4), 5)).toBeDefined();
  expect(rangeFor(half(1.05).slice(0, 99), 5)).toBeUndefined(); // too few rows for the horizon
  const others = [...half(2.4), ...half(1.05).map(() => answered(curveAt(400), 1.05))];
  expect(rangeFor(others, 5)).toBeDefined();
  expect(rangeFor(others, 400)).toBeUndefined();
});

test('a horizon with questions of less than a day has no interval', () => {
  const rows = (over: number) => youngCurves(300, over).map((curve) => answered(curve, 2));
  expect(rangeFor(rows(20), 5)).toBeUndefined();
  expect(rangeFor(rows(30), 5)).toBeDefined();
});

test('a horizon without outcomes has no interval', () => {
  const rows = youngCurves(200).map((curve) => answered(curve, 2));
  expect(rangeFor(rows, 5, 72)).toBeUndefined();
});
