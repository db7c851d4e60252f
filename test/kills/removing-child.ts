import { virtualClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { openLake } from '../../src/lake/open.ts';
import { forgetSubject } from '../../src/run/maintenance/forget.ts';
import { keepLake } from '../../src/run/maintenance/keep.ts';

// Erases a creator, or thins old rows, in the folder it is given; prints a line when it begins.

const [dataDir = '', work = '', now = '0'] = process.argv.slice(2);
const clock = virtualClock(Number(now));
const lake = openLake(dataDir);
process.stdout.write('begins\n');
if (work === 'keep')
  await keepLake(
    lake,
    { snapshots: { full: 62 * DAY_MS, daily: 100 * DAY_MS }, events: 90 * DAY_MS },
    { clock },
  );
else await forgetSubject(lake, { kind: 'creator', platform: 'tiktok', handle: 'gone' }, { clock });
lake.close();
