import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { outgrowTour, runOutgrowTour } from '../../fixtures/outgrow-tour.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { queryTable, readDeltaLog } from '../output/delta/delta-reader.ts';
import { freshFolder } from '../support/fresh.ts';

// The same commands against an S3 server, and the page's question to ClickHouse: npm run prove tables.
test('the tour publishes two lakes into the same tables, in a folder', async () => {
  const { where, blocks, question } = outgrowTour();
  expect(where).toContain('export TRENDLAKE_TABLES_URL=s3://');
  expect(question).toContain('/rankings/');
  const folder = freshFolder();
  const tables = join(folder, 'tables of all');
  const printed = await runOutgrowTour(folder, {
    TRENDLAKE_TABLES_URL: pathToFileURL(tables).href,
  });
  expect(printed).toHaveLength(blocks.length);
  expect(printed[1]).toContain('Nothing new since the last publish');
  expect(printed[1]).toMatch(/ok +tables .*agree with the manifest/);
  const there = await queryTable(
    await readDeltaLog(join(tables, 'rankings')),
    'select lake, platform, count(*)::int from t group by all order by all',
  );
  const here = ['berlin', 'oslo'].flatMap((name) => {
    const lake = openLakeForReading(join(folder, name));
    const rows = lake.sqlite
      .prepare(`select '${name}', platform, count(*) from rankings group by 2 order by 2`)
      .raw()
      .all();
    lake.close();
    return rows;
  });
  expect(there).toEqual(here);
  expect(here.length).toBeGreaterThan(4);
});
