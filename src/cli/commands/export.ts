import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../base/config/config.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { exportNdjson } from '../../ingest/imports/export-ndjson.ts';
import { openLake, openLakeForReading } from '../../lake/open.ts';
import { type ExportSummary, exportLake } from '../../output/parquet/export-lake.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { type LoggedIo, withLog } from '../context/log.ts';
import { writeFiles } from '../context/write-files.ts';
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

const print = (io: CliIo, summary: ExportSummary): void => {
  const { files, rows, bytes, removed, folder, durationMs, tables } = summary;
  if (files === 0 && removed === 0) {
    io.out(`Nothing new since the last export; ${folder} is up to date.`);
    return;
  }
  for (const [table, sum] of Object.entries(tables))
    io.out(
      `  ${table.padEnd(18)} ${counted(sum.rows, 'row')} in ${counted(sum.files, 'file')}, ${mebibytes(sum.bytes)}`,
    );
  if (removed > 0) io.out(`  ${counted(removed, 'file')} without rows removed`);
  io.out(
    `Exported ${counted(rows, 'row')} in ${counted(files, 'file')} (${mebibytes(bytes)}) to ${folder} in ${(durationMs / 1000).toFixed(1)} s.`,
  );
};

interface Options {
  ndjson?: string | true;
  full?: boolean;
}

const run = async (
  { dataDir, parquetCodec }: Config,
  options: Options,
  logged: LoggedIo,
): Promise<void> => {
  const { io } = logged;
  const lake = openLake(dataDir, { report: io.err });
  await writeFiles(logged, {
    lake,
    job: 'export',
    done: 'exported',
    write: (progress) =>
      exportLake(lake, {
        clock: io.clock,
        codec: parquetCodec,
        full: options.full === true,
        here: true,
        signal: io.signal,
        onProgress: (done, of) => progress.show(`Parquet: ${done} of ${of} files`),
      }),
    print: (summary) => print(io, summary),
    json: io.isJson,
  });
};

const runNdjson = async (
  { dataDir }: Config,
  options: Options,
  logged: LoggedIo,
): Promise<void> => {
  const { io } = logged;
  const folder = resolve(io.cwd, options.ndjson === true ? 'ndjson' : (options.ndjson ?? ''));
  await writeFiles(logged, {
    lake: openLakeForReading(dataDir),
    job: 'export',
    done: 'exported as NDJSON',
    write: (progress, lake) =>
      exportNdjson(lake, folder, {
        clock: io.clock,
        signal: io.signal,
        onProgress: (kind, lines) => progress.show(`${kind}: ${counted(lines, 'line')}`),
      }),
    print: ({ kinds, bytes }) => {
      for (const [kind, lines] of Object.entries(kinds))
        io.out(`  ${kind.padEnd(10)} ${counted(lines, 'line')}`);
      io.out(
        `Wrote ${mebibytes(bytes)} to ${folder}. \`${commandText('import')}\` reads the folder. Lists, events and forecasts are not part of it.`,
      );
    },
    json: io.isJson,
  });
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--full', 'rewrite every file, changed or not')
    .option('--ndjson [folder]', 'write NDJSON files for import instead (default: ndjson)')
    .option('--json', 'print the summary as one JSON document')
    .addHelpText('after', EXAMPLES)
    .action((options: Options) => {
      const config = configOf(io);
      return withLog(config, 'off', io, (logged) =>
        (options.ndjson === undefined ? run : runNdjson)(config, options, logged),
      );
    });
};
