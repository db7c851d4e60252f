import { resolve } from 'node:path';
import type { Command } from 'commander';
import { commandText, docsPage } from '../../base/installation.ts';
import { exportNdjson } from '../../ingest/imports/export-ndjson.ts';
import { type ExportSummary, exportLake } from '../../output/parquet/export-lake.ts';
import type { CliIo } from '../context/io.ts';
import { lakeToRead, lakeToWrite } from '../context/lakes.ts';
import { type LoggedIo, showFiles, withLog } from '../context/log.ts';
import { counted, mebibytes } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake export                 what changed since the last export
  trendlake export --full          rewrite every file
  trendlake export --json
  trendlake export --ndjson taken-out    files that \`trendlake import\` reads, in a folder

Files: <data dir>/parquet/<table>/date=YYYY-MM-DD/<table>.parquet (UTC days), or
<table>/<table>.parquet; manifest.json lists them. They appear whole: read them at any time.
  duckdb -c "select * from 'data/parquet/video_snapshots/*/*.parquet' limit 5"
Columns, types, pandas, polars and BI tools: ${docsPage('reference/parquet.md')}.`;

const textOf = (summary: ExportSummary): string[] => {
  const { files, rows, bytes, removed, folder, durationMs, tables } = summary;
  if (files === 0 && removed === 0)
    return [`Nothing new since the last export; ${folder} is up to date.`];
  return [
    ...Object.entries(tables).map(
      ([table, sum]) =>
        `  ${table.padEnd(18)} ${counted(sum.rows, 'row')} in ${counted(sum.files, 'file')}, ${mebibytes(sum.bytes)}`,
    ),
    ...(removed > 0 ? [`  ${counted(removed, 'file')} without rows removed`] : []),
    `Exported ${counted(rows, 'row')} in ${counted(files, 'file')} (${mebibytes(bytes)}) to ${folder} in ${(durationMs / 1000).toFixed(1)} s.`,
  ];
};

const exportParquet = async (full: boolean, logged: LoggedIo): Promise<void> => {
  const { clock, signal, progress } = logged.io;
  const { parquetCodec: codec } = logged.config;
  using lake = lakeToWrite(logged.io);
  const onProgress = (done: number, of: number): void =>
    progress(`Parquet: ${done} of ${of} files`);
  const options = { clock, codec, full, here: true, signal, onProgress };
  const summary = await exportLake(lake, options);
  showFiles(logged, summary, { job: 'export', done: 'exported', text: textOf(summary) });
};

const exportLines = async (folder: string, logged: LoggedIo): Promise<void> => {
  const { clock, signal, progress } = logged.io;
  using lake = lakeToRead(logged.io);
  const onProgress = (kind: string, lines: number): void =>
    progress(`${kind}: ${counted(lines, 'line')}`);
  const summary = await exportNdjson(lake, folder, { clock, signal, onProgress });
  const { kinds, bytes } = summary;
  const text = [
    ...Object.entries(kinds).map(
      ([kind, lines]) => `  ${kind.padEnd(10)} ${counted(lines, 'line')}`,
    ),
    `Wrote ${mebibytes(bytes)} to ${folder}. \`${commandText('import')}\` reads the folder. Lists, events and forecasts are not part of it.`,
  ];
  showFiles(logged, summary, { job: 'export', done: 'exported as NDJSON', text });
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--full', 'rewrite every file, changed or not')
    .option('--ndjson [folder]', 'write NDJSON files for import instead (default: ndjson)')
    .option('--json', 'print the summary as one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(({ ndjson, full = false }: { ndjson?: string | true; full?: boolean }) =>
      withLog(io, 'off', (logged) =>
        ndjson === undefined
          ? exportParquet(full, logged)
          : exportLines(resolve(io.cwd, ndjson === true ? 'ndjson' : ndjson), logged),
      ),
    );
};
