import { join } from 'node:path';
import { outgrowTour, runOutgrowTour } from '../../fixtures/outgrow-tour.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { type Proof, urlOf } from './proof.ts';
import { Reader } from './reader.ts';

/** The tour of docs/guides/publish.md as it stands there, against the S3 server, its question to ClickHouse. */
export const proveTour = async (proof: Proof): Promise<void> => {
  const { store, folder } = proof;
  await runOutgrowTour(folder, { ...store.env, TRENDLAKE_TABLES_URL: urlOf(proof) });
  const reader = new Reader();
  const there = await reader.query(
    outgrowTour()
      .question.replace('http://127.0.0.1:9000', store.endpoint)
      .replace('<key>', store.key)
      .replace('<secret>', store.secret),
  );
  reader.close();
  const here = ['berlin', 'oslo'].flatMap((name) => {
    const lake = openLakeForReading(join(folder, name));
    const rows = lake.sqlite
      .prepare(`select '${name}', platform, count(*) from rankings group by 2 order by 2`)
      .raw()
      .all() as unknown[][];
    lake.close();
    return rows;
  });
  const text = (rows: readonly unknown[][]): string => rows.map((row) => row.join(' ')).join(', ');
  proof.tell(`tour: ClickHouse over both lakes: ${text(there)}`);
  if (text(there) !== text(here)) proof.fail(`tour: SQLite says ${text(here)}`);
};
