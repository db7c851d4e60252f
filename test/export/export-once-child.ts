import { virtualClock } from '../../src/clock.ts';
import { exportLake } from '../../src/export/export-lake.ts';
import { openLake } from '../../src/lake/open.ts';

// Exports the lake of the folder it is given, once.

const lake = openLake(process.argv[2] ?? '');
await exportLake(lake, { clock: virtualClock(Date.UTC(2026, 2, 2)) });
lake.close();
