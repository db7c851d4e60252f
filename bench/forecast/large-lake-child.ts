import { systemClock, virtualClock } from '../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { openLake } from '../../src/lake/open.ts';
import { forecastLake } from '../../src/learn/forecast/forecast-lake.ts';
import { END_AT, makeLake } from './made-lake.ts';

// One step of `bench forecast -- --lake`, in a separate process, to measure its memory alone:
//   make FOLDER VIDEOS, learn FOLDER (first learning), night FOLDER (a day later, a list seen again)

/** The videos seen of late get one more snapshot, a day after the lake's end. */
const seeAgain = (dataDir: string): void => {
  const lake = openLake(dataDir);
  lake.sqlite.exec(`
    insert or ignore into video_snapshot (video_key, observed_at, views, likes, rate_derived, source)
    select s.video_key, ${END_AT + DAY_MS}, cast(max(s.views) * 1.02 as integer), max(s.likes), 1, max(s.source) from video_snapshot s
    where s.observed_at > ${END_AT - DAY_MS} group by s.video_key`);
  lake.close();
};

const [step = '', dataDir = '', videos = '0'] = process.argv.slice(2);
if (step === 'make') makeLake(dataDir, Number(videos), 10);
else {
  if (step === 'night') seeAgain(dataDir);
  const lake = openLake(dataDir);
  const startedMs = systemClock.monotonic();
  const before = process.cpuUsage();
  const done = await forecastLake(lake, {
    clock: virtualClock(step === 'night' ? END_AT + DAY_MS + HOUR_MS : END_AT),
    signal: new AbortController().signal,
  });
  const { user, system } = process.cpuUsage(before);
  lake.close();
  console.log(
    JSON.stringify({
      ...done,
      seconds: (systemClock.monotonic() - startedMs) / 1000,
      cpuSeconds: (user + system) / 1e6,
      peakMb: process.resourceUsage().maxRSS / 1024,
    }),
  );
}
