import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detectEvents } from '../../../src/alerts/events/detect.ts';
import { noticeEvents } from '../../../src/alerts/events/notice.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { draws } from '../../support/draws.ts';
import { freshLake, type MadeVideo, putList, putTagSnapshot, putVideo } from './made-lake.ts';

const T0 = Date.UTC(2026, 2, 1);

const subscribe = (lake: Lake, id: string, filter: object = {}): void => {
  lake.sqlite
    .prepare(
      `insert into subscriptions (id, url, secret, filter, allow_loopback_http, created_at) values (?, 'https://example.com/', 'whsec_', ?, 0, 0)`,
    )
    .run(id, JSON.stringify({ events: [], platforms: [], subjects: [], ...filter }));
};

/** A calm video that bursts on `burstNight`, looked at each night. */
const nightly = (id: string, nights: number, burstNight: number): MadeVideo => ({
  id,
  user: 'dancer',
  createdAt: T0 - 3 * DAY_MS,
  snapshots: Array.from({ length: nights }, (_, night) => [
    T0 + night * DAY_MS,
    100_000 + night * 8_000 + (night >= burstNight ? 700_000 : 0),
  ]),
  tags: ['goblincore', 'mossy'],
});

const upTo = (video: MadeVideo, at: number): MadeVideo => ({
  ...video,
  snapshots: video.snapshots.filter(([its]) => its <= at),
});

const storedEvents = (lake: Lake) =>
  lake.sqlite
    .prepare(
      'select id, kind, platform, subject, occurred_at as occurredAt, detected_at as detectedAt, data from events order by id',
    )
    .all() as {
    id: string;
    kind: string;
    platform: string;
    subject: string;
    occurredAt: number;
    detectedAt: number;
    data: string;
  }[];
const deliveryIds = (lake: Lake) =>
  lake.sqlite.prepare('select id from deliveries order by id').pluck().all() as string[];

test('a night brings an event, its partition and a delivery to who asked for it', () => {
  const lake = freshLake();
  subscribe(lake, 'all');
  subscribe(lake, 'tiktok', { platforms: ['tiktok'] });
  subscribe(lake, 'other-kind', { events: ['niche.breakout'] });
  subscribe(lake, 'other-subject', { subjects: ['video:yt_b'] });
  subscribe(lake, 'this-subject', { subjects: ['YT_A'] });
  const video = nightly('yt_a', 8, 6);
  const clock = virtualClock(T0);
  const found = Array.from({ length: 8 }, (_, night) => {
    clock.advanceTo(T0 + night * DAY_MS + HOUR_MS);
    putVideo(lake, upTo(video, clock.now()));
    lake.sqlite.exec("delete from touched_partitions where table_name <> 'events'"); // the load's
    return noticeEvents(lake, { clock }).stored;
  });
  expect(found).toEqual([0, 0, 0, 0, 0, 0, 1, 0]);
  const [event] = storedEvents(lake);
  expect(event).toMatchObject({
    kind: 'trend.spike',
    platform: 'youtube',
    subject: 'video:yt_a',
    occurredAt: T0 + 6 * DAY_MS,
  });
  expect(JSON.parse(event?.data ?? '')).toMatchObject({
    id: event?.id,
    platform: 'youtube',
    subject: { kind: 'video', id: 'yt_a', url: 'https://www.youtube.com/watch?v=a' },
    window: { from: '2026-03-06T00:00:00.000Z', to: '2026-03-07T00:00:00.000Z' },
    evidence: { gain: 708_000, source: 'feed' },
  });
  expect(deliveryIds(lake)).toEqual([`${event?.id}.all`, `${event?.id}.this-subject`]);
  expect(
    lake.sqlite.prepare('select table_name, date, version from touched_partitions').all(),
  ).toEqual([{ table_name: 'events', date: '2026-03-07', version: 1 }]);
});

test('the first detection over a lake keeps its history and sends nothing', () => {
  const lake = freshLake();
  subscribe(lake, 'all');
  putVideo(lake, nightly('yt_a', 8, 6));
  const clock = virtualClock(T0 + 6 * DAY_MS + HOUR_MS);
  expect(noticeEvents(lake, { clock })).toMatchObject({ stored: 1, late: 1, queued: 0 });
  expect(noticeEvents(lake, { clock })).toMatchObject({ stored: 0 });
  expect(deliveryIds(lake)).toEqual([]);
});

test('an import of the past is kept with the instant it was noticed, and not sent', () => {
  const lake = freshLake();
  subscribe(lake, 'all');
  const clock = virtualClock(T0 + 30 * DAY_MS);
  noticeEvents(lake, { clock });
  putVideo(lake, nightly('yt_a', 8, 6));
  clock.advanceTo(T0 + 30 * DAY_MS + HOUR_MS);
  lake.sqlite
    .prepare("insert into import_progress values ('/old.ndjson', 'f', 9, ?, ?, ?)")
    .run(clock.now(), T0, T0 + 9 * DAY_MS);
  expect(noticeEvents(lake, { clock })).toMatchObject({ stored: 1, late: 1, queued: 0 });
  expect(storedEvents(lake)[0]?.detectedAt).toBe(clock.now());
});

test('a week without polling brings no flood', () => {
  const lake = freshLake();
  const clock = virtualClock(T0);
  for (let video = 0; video < 50; video += 1)
    putVideo(lake, {
      id: `tt_${video}`,
      snapshots: [0, 1, 2, 3, 10].map((day) => [T0 + day * DAY_MS, 100_000 + day * day * 900_000]),
    });
  clock.advanceTo(T0 + 3 * DAY_MS);
  noticeEvents(lake, { clock });
  const before = storedEvents(lake).length;
  clock.advanceTo(T0 + 10 * DAY_MS);
  expect(noticeEvents(lake, { clock }).queued).toBe(0);
  expect(storedEvents(lake)).toHaveLength(before);
});

/** A small lake in which each of the four kinds happens. */
const eventful = (lake: Lake): void => {
  putVideo(lake, nightly('yt_a', 14, 6));
  for (let video = 0; video < 7; video += 1)
    putVideo(lake, {
      id: `tt_star${video}`,
      user: 'star',
      snapshots: Array.from({ length: 14 }, (_, night) => [
        T0 + night * DAY_MS,
        video === 6 && night > 9 ? 900_000 : 30_000 + night,
      ]),
    });
  for (let night = 0; night < 14; night += 1) {
    putTagSnapshot(lake, 'mossy', '', T0 + night * DAY_MS, night > 11 ? 900 : 100);
    const keys = Array.from({ length: 60 }, (_, index) =>
      putVideo(lake, {
        id: `ig_${night}_${index}`,
        user: `maker${index}`,
        snapshots: [[T0 + night * DAY_MS, 1_000 * index]],
        tags: night === 9 && index < 8 ? ['goblincore', 'mossy'] : ['fyp'],
      }),
    );
    putList(lake, { platform: 'instagram', at: T0 + night * DAY_MS, keys });
  }
};

test('the same history gives the same events, whatever the number and order of snapshots', () => {
  const lake = freshLake();
  eventful(lake);
  const to = T0 + 14 * DAY_MS;
  const whole = detectEvents(lake, { from: 0, to });
  expect(new Set(whole.map(({ kind }) => kind))).toEqual(
    new Set(['trend.spike', 'creator.viral', 'hashtag.rising', 'niche.breakout']),
  );
  const ids = whole.map(({ id }) => id).sort();
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 14 * 24 }), { maxLength: 5 }),
      fc.boolean(),
      (hours, reversed) => {
        const bounds = [0, ...hours.map((hour) => T0 + hour * HOUR_MS).sort((a, b) => a - b), to];
        const spans = bounds
          .slice(1)
          .map((end, index) => ({ from: bounds[index] as number, to: end }));
        const pieces = (reversed ? spans.reverse() : spans).flatMap((span) =>
          detectEvents(lake, span),
        );
        expect(pieces.map(({ id }) => id).sort()).toEqual(ids);
      },
    ),
    { numRuns: draws(25) },
  );
});

test('the order in which the lake learnt things does not matter', () => {
  const one = freshLake();
  const other = freshLake();
  putVideo(one, nightly('yt_a', 8, 6));
  putVideo(one, nightly('yt_b', 8, 5));
  const { snapshots, ...rest } = nightly('yt_b', 8, 5);
  for (const snapshot of snapshots.toReversed())
    putVideo(other, { ...rest, snapshots: [snapshot] });
  putVideo(other, nightly('yt_a', 8, 6));
  const span = { from: 0, to: T0 + 8 * DAY_MS };
  expect(detectEvents(other, span)).toEqual(detectEvents(one, span));
});

test('of more events of a kind than a snapshot stores, the newest are stored and the rest is counted', () => {
  const lake = freshLake();
  const bursts = [9, 12, 10, 13, 11]; // the night of each video's burst
  for (const [index, night] of bursts.entries())
    putVideo(lake, { ...nightly(`yt_${index}`, 15, night), user: `dancer${index}` });
  const clock = virtualClock(T0 + 15 * DAY_MS);
  const all = detectEvents(lake, { from: 0, to: clock.now(), kinds: ['trend.spike'] });
  expect(all).toHaveLength(bursts.length);
  const { left } = noticeEvents(lake, { clock, most: 2 });
  const stored = storedEvents(lake).filter(({ kind }) => kind === 'trend.spike');
  expect(left).toBe(
    detectEvents(lake, { from: 0, to: clock.now() }).length - storedEvents(lake).length,
  );
  expect(stored.map(({ id }) => id).toSorted()).toEqual(
    all
      .slice(-2)
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(noticeEvents(lake, { clock, most: 2 }).stored).toBe(0);
});

test('a creator is one, however its videos write the handle, also when a spelling comes later', () => {
  const lake = freshLake();
  const spellings = ['Éva', '@éva', 'E\u0301VA'];
  const virals = () =>
    storedEvents(lake).flatMap(({ kind, subject }) => (kind === 'creator.viral' ? [subject] : []));
  for (let video = 0; video < 7; video += 1)
    putVideo(lake, {
      id: `tt_star${video}`,
      user: spellings[video % 3] ?? '',
      snapshots: Array.from({ length: 14 }, (_, night) => [
        T0 + night * DAY_MS,
        video === 6 && night > 9 ? 900_000 : 30_000 + night,
      ]),
    });
  noticeEvents(lake, { clock: virtualClock(T0 + 12 * DAY_MS) });
  expect(virals()).toEqual(['creator:Éva']); // of the video seen first
  putVideo(lake, { id: 'tt_new', user: '@ÉVA', snapshots: [[T0 + 13 * DAY_MS, 30_000]] });
  noticeEvents(lake, { clock: virtualClock(T0 + 14 * DAY_MS) });
  expect(virals()).toEqual(['creator:Éva']);
});

test('the pulls of a list are read once, however many creators came to its top', () => {
  const lake = freshLake();
  const [unwatched, pulls] = [20, 60];
  for (let day = 0; day < pulls; day += 1) {
    const at = T0 + day * DAY_MS;
    const id = `tt_${day}`;
    putList(lake, {
      platform: 'tiktok',
      at,
      keys: day < unwatched ? [] : [putVideo(lake, { id, user: id, snapshots: [[at, 1000]] })],
    });
  }
  let read = 0;
  lake.sqlite.function('noted', { deterministic: false }, () => {
    read += 1;
    return 1;
  });
  lake.sqlite.exec(
    'create temp view capture as select * from main.capture where noted() = 1 and key is not null',
  );
  const span = { from: T0 + (unwatched - 1) * DAY_MS, to: T0 + pulls * DAY_MS };
  const found = detectEvents(lake, { ...span, kinds: ['creator.viral'] });
  const days = Array.from({ length: pulls - unwatched }, (_, index) => unwatched + index);
  expect(found.map(({ evidence }) => evidence.watchedDays)).toEqual(days);
  expect(read).toBeLessThan(5 * pulls); // once for each creator was 1700
});
