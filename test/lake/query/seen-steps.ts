import fc from 'fast-check';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { addWatch } from '../../../src/lake/watches/watches.ts';
import { hoursAgo } from '../../serve/filled-lake.ts';
import { HANDLES, idOf, WORDS } from '../read/seen.ts';

type Put = (lake: Lake, at: number, nth: number) => void;

const putList: Put = (lake, at, nth) => {
  const builder = new LakeBuilder(lake);
  const ids = [idOf(nth), idOf((nth + 1) % 4)];
  const seen = { createdAt: hoursAgo(240), snapshots: [[at, null]], source: 'feed' } as const;
  const keys = ids.map((id) => builder.video({ id, ...seen }));
  const ranks = keys.map((videoKey, index) => ({ rank: index + 1, videoKey, velocity: nth }));
  const list = { list: 'feed', platform: 'tiktok', period: '24h', total: 2 } as const;
  builder.list({ ...list, at, completedAt: at + MINUTE_MS, ranks });
};

const putVolume: Put = (lake, at, nth) =>
  new LakeBuilder(lake).hashtag({
    tag: WORDS[nth] as string,
    platform: nth % 2 === 0 ? '' : 'tiktok',
    at,
    window: '30d',
    volume: nth * 10,
    change: nth / 4,
    rank: nth + 1,
  });

const putEvent: Put = (lake, at, nth) =>
  new LakeBuilder(lake).event({
    id: `evt_${at}_${nth}`,
    kind: 'trend.spike',
    platform: 'tiktok',
    at: at - nth * 20 * HOUR_MS,
    detectedAt: at,
  });

/** A forecast that starts from an earlier snapshot than its model was learnt at. */
const putForecast: Put = ({ sqlite }, at, nth) => {
  const model = sqlite
    .prepare(
      `insert into models (kind, platform, learnt_at, learnt_until, samples, scores, parameters)
       values ('video.list', 'tiktok', ?, ?, 300, '{}', x'00')`,
    )
    .run(at, at).lastInsertRowid;
  const made = { made: at - nth * 20 * HOUR_MS, model };
  sqlite
    .prepare(
      `insert into forecast (video_key, made_at, horizon_hours, views_median, views_low, views_high,
         top_probability, model_id) select key, @made, 24, 1, 0, 9, 0.5, @model from video where true
       on conflict do nothing`,
    )
    .run(made);
  sqlite
    .prepare(
      `insert into hashtag_forecast select hashtag_key, platform, observed_at, 168, 1, 0, 9, @model
       from hashtag_snapshot where observed_at <= @made on conflict do nothing`,
    )
    .run(made);
};

const putWatch: Put = (lake, at, nth) => {
  const subjects = [
    { kind: 'video', platform: 'tiktok', subject: idOf(0) },
    { kind: 'creator', platform: 'tiktok', subject: HANDLES[0] as string },
    { kind: 'hashtag', platform: null, subject: WORDS[0] as string },
    { kind: 'search', platform: null, subject: 'ramen' },
  ] as const;
  const watch = { everyMs: HOUR_MS, tags: ['acme'], note: null, until: null };
  const { id } = addWatch(lake, { ...watch, ...(subjects[nth] ?? subjects[0]) }, at);
  lake.sqlite
    .prepare('insert or ignore into search_hit select ?, ?, key, key, 9 from video limit 2')
    .run(id, at);
};

const putRun: Put = ({ sqlite }, at) => {
  const run = sqlite
    .prepare(
      `insert into runs (started_at, outcome, heartbeat_at, jobs) values (?, 'running', ?, '["lists"]')`,
    )
    .run(at, at).lastInsertRowid;
  sqlite
    .prepare(
      `insert into calls (run_id, job, request, sent_at, sender) values (?, 'lists', 'GET /feed', ?, 's')`,
    )
    .run(run, at);
};

const endRuns: Put = ({ sqlite }, at) => {
  sqlite
    .prepare(
      "update runs set finished_at = ?, outcome = 'complete', summary = '{}' where finished_at is null",
    )
    .run(at);
  sqlite
    .prepare(
      'update calls set finished_at = ?, status = 200, new_videos = 3, rows_changed = 4 where finished_at is null',
    )
    .run(at);
};

const STEPS = { putList, putVolume, putEvent, putForecast, putWatch, putRun, endRuns };

/** Something else that a lake learns, so many hours ago. */
export const seenStep = fc.record({
  what: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
  hours: fc.integer({ min: 0, max: 200 }),
  nth: fc.nat(3),
});
export type SeenStep = typeof seenStep extends fc.Arbitrary<infer T> ? T : never;

/** Puts them into a lake in the order of their instants. */
export const takeSteps = (lake: Lake, steps: readonly SeenStep[]): void => {
  for (const { what, hours, nth } of steps.toSorted((a, b) => b.hours - a.hours))
    STEPS[what](lake, hoursAgo(hours), nth);
};
