import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sourceCode } from '../schema/vocabulary.ts';
import { noticeEvents } from '../src/alerts/events/notice.ts';
import { systemClock, virtualClock } from '../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../src/base/durations.ts';
import { type Lake, openLake } from '../src/lake/open.ts';

// Time to notice events after a sync of 5,000 changed videos, on a lake of a million.
//
//   npm run bench events-speed [-- VIDEOS CHANGED]

const VIDEOS = Number(process.argv[2] ?? 1_000_000);
const CHANGED = Number(process.argv[3] ?? 5_000);
const NIGHTS = 30;
const CREATORS = VIDEOS / 5;
const LISTED = 200;
const TAGS = 2_000;
const T0 = Date.UTC(2026, 2, 1);

/**
 * A made-up lake, in bulk past the loader: every video seen three times, those of the lists and the
 * changed ones nightly.
 */
const fill = (lake: Lake): void => {
  const { sqlite } = lake;
  const run = (text: string, values: object = {}): void => void sqlite.prepare(text).run(values);
  const upTo = (count: number): string =>
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count} - 1)`;
  run(
    `${upTo(TAGS)} insert into hashtag (key, tag, folded, first_seen_at) select i + 1, 'tag' || i, 'tag' || i, 0 from n`,
  );
  run(
    `${upTo(VIDEOS)} insert into video (key, id, platform, user, views, created_at, first_seen_at)
     select i + 1, substr('ttigyt', (i % 3) * 2 + 1, 2) || '_' || i, case i % 3 when 0 then 'tiktok' when 1 then 'instagram' else 'youtube' end,
       'user' || (i % ${CREATORS}), 1000 + (i * 7919) % 500000, ${T0} + (i % ${NIGHTS}) * ${DAY_MS}, ${T0} from n`,
  );
  run(
    `${upTo(VIDEOS * 4)} insert into video_hashtag select i / 4 + 1, (i * 31) % ${TAGS} + 1, i % 4 from n where true on conflict do nothing`,
  );
  const addSnapshots = `insert into video_snapshot (video_key, observed_at, views, rate_derived, source)
    select key, cast(@at + key % 1000 as integer), cast(1000 + views * (1.0 - exp(-@age / 5.0)) + (key % 977 = 0) * (@age > 28) * 900000 as integer), 1, ${sourceCode('feed')} from video`;
  for (const night of [5, 15, 25])
    run(addSnapshots, {
      at: T0 + night * DAY_MS,
      age: night,
    });
  const step = Math.floor(VIDEOS / CHANGED);
  for (let night = 0; night < NIGHTS; night += 1) {
    const at = T0 + night * DAY_MS + HOUR_MS;
    run(`${addSnapshots} where key % ${step} = 0`, { at, age: night });
    run(
      `insert into hashtag_snapshot (hashtag_key, platform, observed_at, volume, source) select key, '', cast(@at as integer), 100 + cast(key * @night as integer) % 97, ${sourceCode('hashtags')} from hashtag limit ${LISTED}`,
      { at, night },
    );
    for (const platform of ['tiktok', 'instagram', 'youtube'])
      for (const [list, period] of [
        ['feed', '24h'],
        ['trends', 'day'],
      ]) {
        run(
          'insert into capture (list, platform, period, captured_at, completed_at) values (@list, @platform, @period, cast(@at as integer), cast(@at as integer))',
          { list, platform, period, at },
        );
        run(
          `insert into ranking (capture_key, rank, video_key) select last_insert_rowid(), row_number() over (), key
           from (select key from video where platform = @platform and key % ${step} = 0 limit ${LISTED} offset cast(@night * 7 as integer))`,
          { platform, night },
        );
      }
  }
};

const folder = mkdtempSync(join(tmpdir(), 'trendlake-bench-'));
const lake = openLake(folder);
try {
  lake.sqlite.pragma('synchronous = OFF');
  fill(lake);
  const rows = lake.sqlite.prepare('select count(*) from video_snapshot').pluck().get();
  lake.sqlite
    .prepare(`insert into event_progress values ('detectors', ?)`)
    .run(T0 + (NIGHTS - 2) * DAY_MS + 12 * HOUR_MS);
  const clock = virtualClock(T0 + (NIGHTS - 1) * DAY_MS + 2 * HOUR_MS);
  for (const turn of ['first', 'again']) {
    if (turn === 'again')
      lake.sqlite.exec(
        `update event_progress set looked_until = ${T0 + (NIGHTS - 2) * DAY_MS + 12 * HOUR_MS}`,
      );
    const startedAt = systemClock.monotonic();
    const { stored } = noticeEvents(lake, { clock });
    const ms = Math.round(systemClock.monotonic() - startedAt);
    console.log(
      `${turn}: ${VIDEOS} videos, ${rows} looks, ${CHANGED} changed: ${ms} ms, ${stored} new events`,
    );
  }
} finally {
  lake.close();
  rmSync(folder, { recursive: true, force: true });
}
