import { virtualClock } from '../../../src/base/clock.ts';
import { openLake } from '../../../src/lake/open.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';

// Exports the lake of the folder it is given, once.

const lake = openLake(process.argv[2] ?? '');
await exportLake(lake, { clock: virtualClock(Date.UTC(2026, 2, 2)) });
lake.close();
