import { join } from 'node:path';
import { expect } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { freshFolder } from '../../support/fresh.ts';
import { exportedLake } from '../parquet/filled-lake.ts';
import { makeDatePartitioned } from './date-partitioned.ts';
import { queryTable, readDeltaLog } from './delta-reader.ts';
import { changeFirstDay, exportAndPublish, publish } from './publishing.ts';

export const TABLE = 'video_snapshots';
export const APRIL = { clock: virtualClock(Date.UTC(2026, 3, 20)) };
const ALL = 'select lake, date::varchar, * exclude (lake, date) from t order by all';

/** A folder with a table of two lakes in its earlier form, and its rows. */
export const earlierTable = async () => {
  const folder = freshFolder();
  const lakes = { berlin: await exportedLake(), oslo: await exportedLake() };
  changeFirstDay(lakes.oslo, 1);
  await exportAndPublish(lakes.oslo, folder, 'oslo');
  await publish(lakes.berlin, folder, 'berlin');
  await makeDatePartitioned(folder, TABLE, lakes);
  const earlier = await readDeltaLog(join(folder, TABLE));
  const rows = await queryTable(earlier, ALL);
  expect(rows).toHaveLength(61);
  return { folder, lakes, rows };
};
export const rowsNow = async (folder: string) => {
  const table = await readDeltaLog(join(folder, TABLE));
  return { table, rows: await queryTable(table, ALL) };
};
