import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/base/durations.ts';
import {
  dampedVelocity,
  type Movement,
  scoresOf,
  velocityOf,
  viewsGained,
} from '../../../src/lake/lists/score.ts';

const HOURS_0 = Date.UTC(2026, 0, 1);
const at = (hours: number): number => HOURS_0 + hours * HOUR_MS;
const movement = (fields: Partial<Movement>): Movement => ({
  key: 1,
  views: 1000,
  viewsAt: at(24),
  baseViews: 0,
  baseAt: at(0),
  likes: null,
  createdAt: null,
  ...fields,
});

const scores = (movements: readonly Movement[]): number[] => {
  const column = (of: (movement: Movement) => number | null): Float64Array =>
    Float64Array.from(movements, (movement) => of(movement) ?? Number.NaN);
  const found = scoresOf({
    views: column(({ views }) => views),
    likes: column(({ likes }) => likes),
    damped: column(dampedVelocity),
  });
  return [...found];
};

describe('velocity', () => {
  test('views gained per hour between two snapshots; a decrease is not a velocity', () => {
    expect(velocityOf(movement({ views: 2400 }))).toBe(100);
    expect(velocityOf(movement({ views: 10, baseViews: 500 }))).toBe(0);
  });
  test('looks minutes apart count as an hour apart', () => {
    expect(velocityOf(movement({ views: 60, baseViews: 0, baseAt: at(24) - 60_000 }))).toBe(60);
  });
  test('a single snapshot: the mean over the life, when that is known', () => {
    const once = { baseViews: null, baseAt: null };
    expect(velocityOf(movement({ ...once, views: 240, createdAt: at(0) }))).toBe(10);
    expect(velocityOf(movement({ ...once, createdAt: null }))).toBeNull();
    expect(velocityOf(movement({ ...once, createdAt: at(30) }))).toBeNull();
    expect(velocityOf(movement({ views: null, viewsAt: null }))).toBeNull();
  });
  test('tiny bases are damped, large ones hardly', () => {
    expect(dampedVelocity(movement({ views: 24 }))).toBeLessThan(0.03);
    expect(dampedVelocity(movement({ views: 24_000_000 }))).toBeGreaterThan(999_900);
  });
});

describe('score', () => {
  test('reach and pace are ranks: scaling a platform changes no order', () => {
    const some = [5, 80, 3000, 20_000].map((views, key) =>
      movement({ key, views, baseViews: views / 2 }),
    );
    const found = scores(some);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found.at(-1)).toBe(2);
    expect(found[0]).toBe(0);
  });
  test('of two with equal reach the moving one is above; a still one has reach only', () => {
    const [still, moving] = scores([movement({ baseViews: 1000 }), movement({ baseViews: 10 })]);
    expect(still).toBe(0);
    expect(moving).toBe(1);
  });
  test('without views the likes give the reach', () => {
    const [few, many] = scores([
      movement({ views: null, likes: 5 }),
      movement({ views: null, likes: 500 }),
    ]);
    expect([few, many]).toEqual([0, 1]);
  });
  test('reach is the share of the others with fewer views, pace of those with a lower damped velocity', () => {
    const counts = fc.array(fc.oneof(fc.nat({ max: 9 }), fc.nat(), fc.maxSafeNat()), {
      minLength: 2,
      maxLength: 60,
    });
    fc.assert(
      fc.property(counts, (all) => {
        const moved = all.map((views, key) => movement({ key, views }));
        const below = (of: readonly number[], value: number): number =>
          of.filter((other) => other < value).length / (of.length - 1);
        const damped = moved.map(dampedVelocity);
        expect(scores(moved)).toEqual(
          all.map(
            (views, index) =>
              below(all, views) +
              ((damped[index] as number) > 0 ? below(damped, damped[index] as number) : 0),
          ),
        );
      }),
      { numRuns: 50 },
    );
  });
  test('always between 0 and 2, whatever was counted', () => {
    const count = fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { nil: null });
    const any = fc.record({
      views: count,
      baseViews: count,
      likes: count,
      createdAt: fc.option(fc.integer({ min: 0, max: at(48) }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (fields) => {
        for (const score of scores(fields.map(movement))) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});

describe('views gained inside a period', () => {
  const DAY = 24 * HOUR_MS;
  test('the difference to the snapshot before it', () => {
    expect(viewsGained(movement({ views: 700, baseViews: 100 }), at(0), DAY)).toBe(600);
  });
  test('everything of a video published inside it', () => {
    expect(
      viewsGained(movement({ views: 700, baseViews: 100, createdAt: at(1) }), at(0), DAY),
    ).toBe(700);
  });
  test('a snapshot long before it counts in proportion', () => {
    expect(viewsGained(movement({ views: 1000, baseViews: 0, baseAt: at(-24) }), at(0), DAY)).toBe(
      500,
    );
  });
  test('unknown with a single snapshot', () => {
    expect(viewsGained(movement({ baseViews: null, baseAt: null }), at(0), DAY)).toBeNull();
  });
});
