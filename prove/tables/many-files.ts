import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/lake/open.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { type Proof, secondsSince, tableAt } from './proof.ts';
import { publishExport, publishOnce } from './publish-once.ts';
import { Reader } from './reader.ts';
import { fillLake, markDay } from './small-lake.ts';

const VIDEOS = 20;
const MOST_QUERY_S = 2;
const MOST_PUBLISH_S = 3;
const MOST_PUBLISH_MIB = 150;

/** A table of many small days: what a query of one day and a publish of one changed day cost. */
export const proveManyFiles = async (
  proof: Proof,
  { lakes, days }: { lakes: number; days: number },
): Promise<void> => {
  const seed = join(proof.folder, 'many-0');
  const lake = openLake(seed);
  fillLake(lake, VIDEOS, days);
  await exportLake(lake, { clock: systemClock });
  lake.close();
  const nameOf = (n: number): string => `many-${n}`;
  for (let n = 1; n < lakes; n += 1)
    cpSync(seed, join(proof.folder, nameOf(n)), { recursive: true }); // each becomes a separate lake
  const startedAt = performance.now();
  let files = 0;
  for (let n = 0; n < lakes; n += 1)
    files += (await publishExport(proof, join(proof.folder, nameOf(n)), nameOf(n))).files;
  const firstS = secondsSince(startedAt);

  const last = nameOf(lakes - 1);
  const changed = openLake(join(proof.folder, last));
  markDay(changed, days - 1, 1);
  changed.close();
  const daily = await publishOnce(proof, join(proof.folder, last), last);
  const again = await publishExport(proof, join(proof.folder, last), last);

  const reader = new Reader();
  const query = async (where: string): Promise<{ seconds: number; rows: number }> => {
    const askedAt = performance.now();
    const [[rows] = []] = await reader.query(
      `select count() from ${tableAt(proof, 'video_snapshots')} where ${where}`,
    );
    return { seconds: secondsSince(askedAt), rows: Number(rows) };
  };
  await reader.query('select 1'); // the engine is loaded
  const pruned = await query(`lake = '${nameOf(0)}' and date = '2024-01-02'`);
  const ofDay = await query("date = '2024-01-02'");
  const all = await query('1');
  reader.close();
  proof.tell(
    `files: ${files} files of ${lakes} lakes published in ${firstS.toFixed(0)} s; one changed day in ${(daily.durationMs / 1000).toFixed(2)} s (${daily.seconds.toFixed(2)} s with the start of its process), ${daily.mebibytes.toFixed(0)} MiB, ${daily.files} file; again ${(again.durationMs / 1000).toFixed(2)} s, ${again.files} files; a query of one lake and day ${pruned.seconds.toFixed(2)} s (${pruned.rows} rows), of one day of all lakes ${ofDay.seconds.toFixed(2)} s (${ofDay.rows} rows), of all ${all.seconds.toFixed(1)} s (${all.rows} rows)`,
  );
  const right =
    pruned.rows === VIDEOS && ofDay.rows === VIDEOS * lakes && all.rows === VIDEOS * lakes * days;
  if (!right || daily.files !== 1 || again.files !== 0)
    proof.fail('files: rows or files are wrong');
  if (pruned.seconds > MOST_QUERY_S) proof.fail('files: the query took too long');
  if (daily.seconds > MOST_PUBLISH_S || daily.mebibytes > MOST_PUBLISH_MIB)
    proof.fail('files: the publish of one day took too much');
};
