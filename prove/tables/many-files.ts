import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openLake } from '../../src/lake/open.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { checkpointNote } from './bucket.ts';
import { type Proof, secondsSince, tableAt } from './proof.ts';
import { publishExport, publishOnce } from './publish-once.ts';
import { Reader } from './reader.ts';
import { fillLake, markDay, type SmallLake, viewsOf } from './small-lake.ts';

const VIDEOS = 20;
const MOST_QUERY_S = 2;
const MOST_PUBLISH_S = 3;
const MOST_PUBLISH_MIB = 150;

/** Fills and exports lakes that differ, and publishes each for the first time. @returns their files */
const publishLakes = async (
  proof: Proof,
  contents: ReadonlyMap<string, SmallLake>,
): Promise<number> => {
  let files = 0;
  for (const [name, content] of contents) {
    const dataDir = join(proof.folder, name);
    const lake = openLake(dataDir);
    fillLake(lake, content);
    await exportLake(lake, { clock: systemClock });
    lake.close();
    files += (await publishExport(proof, dataDir, name)).files;
  }
  return files;
};

/** A table of years of small days: the cost of a question about one day and of publishing a changed day. */
export const proveManyFiles = async (
  proof: Proof,
  { lakes, days }: { lakes: number; days: number },
): Promise<void> => {
  const contents = new Map(
    Array.from({ length: lakes }, (_, n) => [`many-${n}`, { videos: VIDEOS, days, seed: n }]),
  );
  const startedAt = performance.now();
  const files = await publishLakes(proof, contents);
  const firstS = secondsSince(startedAt);
  const reader = new Reader();
  const query = async (
    where: string,
  ): Promise<{ seconds: number; rows: number; views: number }> => {
    const askedAt = performance.now();
    const [[rows, views] = []] = await reader.query(
      `select count(), sum(views) from ${tableAt(proof, 'video_snapshots')} where ${where}`,
    );
    return { seconds: secondsSince(askedAt), rows: Number(rows), views: Number(views) };
  };
  await reader.query('select 1'); // the engine is loaded
  const pruned = await query(`lake = 'many-0' and date = '2024-01-02'`);
  const ofDay = await query("date = '2024-01-02'");
  const all = await query('1');
  reader.close();

  const last = `many-${lakes - 1}`;
  const changed = openLake(join(proof.folder, last));
  markDay(changed, days - 1, 1);
  changed.close();
  const daily = await publishOnce(proof, join(proof.folder, last), last);
  const again = await publishExport(proof, join(proof.folder, last), last);
  const checkpoint = await checkpointNote(proof, 'video_snapshots');
  proof.tell(
    `files: ${files} files of ${lakes} lakes that differ, ${days} days each, published in ${firstS.toFixed(0)} s (with filling and exporting); one changed day in ${(daily.durationMs / 1000).toFixed(2)} s (${daily.seconds.toFixed(2)} s with the start of its process), ${daily.mebibytes.toFixed(0)} MiB, ${daily.files} file; again ${(again.durationMs / 1000).toFixed(2)} s, ${again.files} files; sum over one lake and day ${pruned.seconds.toFixed(2)} s (${pruned.rows} rows), one day of all lakes ${ofDay.seconds.toFixed(2)} s (${ofDay.rows} rows), all ${all.seconds.toFixed(1)} s (${all.rows} rows)${checkpoint === undefined ? '' : `; checkpoint ${(checkpoint.bytes / checkpoint.files).toFixed(0)} bytes a file (${checkpoint.files})`}`,
  );
  const views = [...contents.values()].reduce((sum, content) => sum + viewsOf(content), 0);
  const right =
    pruned.rows === VIDEOS &&
    ofDay.rows === VIDEOS * lakes &&
    all.rows === VIDEOS * lakes * days &&
    all.views === views;
  if (!right) proof.fail(`files: rows or sums are wrong: ${all.views} views, ${views} expected`);
  if (daily.files !== 1 || again.files !== 0) proof.fail('files: a changed day is not one file');
  if (pruned.seconds > MOST_QUERY_S) proof.fail('files: the query took too long');
  if (daily.seconds > MOST_PUBLISH_S || daily.mebibytes > MOST_PUBLISH_MIB)
    proof.fail('files: the publish of one day took too much');
};
