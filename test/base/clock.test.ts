import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { isoOf, parseIso } from '../../src/base/iso.ts';

test.each([
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01T12:30', '2026-03-01T12:30:00.000Z'],
  ['2026-03-01T12:30:05.1234567Z', '2026-03-01T12:30:05.123Z'],
  ['2026-03-01 12:30:05,5 +0530', '2026-03-01T07:00:05.500Z'],
  ['2026-03-01t12:30:05z', '2026-03-01T12:30:05.000Z'],
  ['2024-02-29T00:00:00-12', '2024-02-29T12:00:00.000Z'],
  ['  2026-03-01  ', '2026-03-01T00:00:00.000Z'],
])('%j is %s', (text, iso) => expect(isoOf(parseIso(text) ?? Number.NaN)).toBe(iso));

test.each([
  '2025-02-29',
  '2026-00-10',
  '2026-04-31',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T00:00:00+15:00',
  '2026-01-01T00:00:00+01:99',
  '0099-12-31',
  '12026-01-01',
  '01.03.2026',
  'now',
  '',
])('refuses the instant %j', (text) => expect(parseIso(text)).toBeUndefined());

test('property: every instant of the years 100 to 9999 reads back as written', () => {
  const instants = fc.integer({ min: Date.UTC(100, 0, 1), max: Date.UTC(9999, 11, 31) });
  fc.assert(fc.property(instants, (at) => parseIso(isoOf(at)) === at));
});

test('a virtual clock moves only forward, and sleeping moves it', async () => {
  const clock = virtualClock(1000);
  await clock.sleep(500);
  expect([clock.now(), clock.monotonic()]).toEqual([1500, 1500]);
  clock.advanceTo(1200);
  expect(clock.now()).toBe(1500);
  await Promise.all([clock.sleep(100), clock.sleep(300)]);
  expect(clock.now()).toBe(1800);
  await expect(clock.sleep(1, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});

test('keeps whole milliseconds after a wait of a fraction', async () => {
  const clock = virtualClock(1000);
  await clock.sleep(0.6);
  expect([clock.now(), clock.monotonic()]).toEqual([1000, 1000.6]);
  await clock.sleep(0.6);
  expect(clock.now()).toBe(1001);
  clock.advanceTo(1500.5);
  expect(clock.now()).toBe(1500);
});
