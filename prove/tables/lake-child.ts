import { systemClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/lake/open.ts';
import { openStore } from '../../src/output/delta/open-store.ts';
import { publishLake } from '../../src/output/delta/publish-lake.ts';
import { exportHere } from './export-here.ts';
import { markDay, stateOf } from './small-lake.ts';

// One lake of `prove tables`: marks a day, exports, publishes, prints the version, and repeats until
// it is killed. Usage: node prove/tables/lake-child.ts DATA_DIR NAME URL

const [dataDir = '', name = '', url = ''] = process.argv.slice(2);
const lake = openLake(dataDir);
const { signal } = new AbortController();
const world = { clock: systemClock, random: Math.random, env: process.env, signal };
const store = await openStore(url, world);
for (;;) {
  const { mark } = stateOf(lake, 0);
  markDay(lake, 0, mark + 1);
  await exportHere(lake);
  const { tables } = await publishLake(lake, { store, name, ...world });
  const published = tables.find(({ table }) => table === 'video_snapshots');
  process.send?.({ mark: mark + 1, ...published });
}
