import { virtualClock } from '../../../src/base/clock.ts';
import { openLake } from '../../../src/lake/open.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { touch } from './touch.ts';

// Exports the lake of the folder it is given again and again, until killed. Every row of the files
// that change holds the number of its round, and so does the manifest: as the time of its export.

const lake = openLake(process.argv[2] ?? '');
const change = lake.sqlite.transaction((round: number) => {
  lake.sqlite
    .prepare('update video set title = ?')
    .run(`${round} ${'x'.repeat((round * 97) % 5000)}`);
  lake.sqlite.prepare('update video_snapshot set views = ?').run(round);
  touch(lake, 'videos', '');
  for (const day of ['01', '02', '03']) touch(lake, 'video_snapshots', `2026-03-${day}`);
});
for (let round = 0; ; round++) {
  change(round);
  await exportLake(lake, { clock: virtualClock(round) });
  if (round === 0) process.stdout.write('exporting\n');
}
