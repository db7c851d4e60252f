import type { Command } from 'commander';
import { EXIT } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { Log } from '../../base/log.ts';
import { keepHeapSmall } from '../../base/small-memory.ts';
import { readColumnMap } from '../../ingest/imports/csv-records.ts';
import type { ImportDeps, ImportSummary } from '../../ingest/imports/import-file.ts';
import { importPaths } from '../../ingest/imports/import-path.ts';
import type { CliIo } from '../context/io.ts';
import { lakeToWrite } from '../context/lakes.ts';
import { type LoggedIo, withLog } from '../context/log.ts';
import { whileOpen } from '../context/while-open.ts';
import { counted, grouped } from '../text/figures.ts';
import { rowsText } from '../text/rows-text.ts';

const EXAMPLES = `
Examples:
  trendlake import observations/            a folder with videos.ndjson.gz, snapshots.ndjson.gz, ...
  trendlake import snapshots.ndjson --json
  trendlake import snapshots.csv --map views=plays --map at=day

Files, gzip'd or not, one JSON object a line, or .csv with a header; times ISO 8601 or Unix:
  videos.ndjson     {id, platform, title, user, createdAt, tags?, ...}
  snapshots.ndjson  {id, at, views, likes, comments?, rank?, region?, ...}
  hashtags.ndjson   {tag, platform, at, volume?, views?, ...}
  creators.ndjson   {user, platform, at, followers?, likes?, ...}

An interrupted import goes on where it stopped; importing the same file again changes nothing.`;

const print = (io: CliIo, summary: ImportSummary): void => {
  for (const file of summary.files)
    io.out(
      `${file.file}: ${counted(file.lines, 'line')}${file.resumedAt > 0 ? `, resumed after line ${grouped(file.resumedAt)}` : ''}${file.rejected > 0 ? `, ${grouped(file.rejected)} rejected` : ''}`,
    );
  for (const line of rowsText(summary.rows)) io.out(line);
  for (const { file, line, problem } of summary.problems.slice(0, 10))
    io.err(`${file}:${line}: ${problem}`);
  if (summary.problems.length > 10)
    io.err(`More rejected lines: ${commandText('query "select * from rejected_items"')}`);
};

interface Options {
  map?: string[];
}

const logFiles = ({ files, outcome }: ImportSummary, log: Log): void => {
  for (const { file, lines, rejected } of files) {
    const fields = { job: 'import', item: file, lines, rejected, outcome };
    if (rejected > 0) log.warn(fields, 'file imported, lines rejected');
    else log.info(fields, 'file imported');
  }
};

const run = async (paths: string[], options: Options, { io, log }: LoggedIo): Promise<void> => {
  keepHeapSmall();
  using lake = lakeToWrite(io);
  const deps: ImportDeps = {
    clock: io.clock,
    signal: io.signal,
    map: readColumnMap(options.map ?? []),
    onProgress: ({ file, lines, bytesRead, bytesTotal }) =>
      io.progress(
        `${file}: ${counted(lines, 'line')}, ${Math.floor((100 * bytesRead) / Math.max(1, bytesTotal))} %`,
      ),
  };
  const summary = await whileOpen(io, lake.dataDir, 'import', () =>
    importPaths(lake, paths, io.cwd, deps),
  );
  logFiles(summary, log);
  if (io.isJson) io.json(summary);
  else print(io, summary);
  io.exitCode = summary.outcome === 'complete' ? EXIT.complete : EXIT.partial;
};

export const define = (command: Command, io: CliIo): void => {
  command
    .argument('<path...>', 'NDJSON or CSV files, or folders holding them')
    .option(
      '--map <name=column>',
      'column of a CSV file for a field, such as views=plays; repeat for several',
      (pair: string, before: string[] = []) => [...before, pair],
    )
    .option('--json', 'print the summary as one JSON document')
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], options: Options) =>
      withLog(io, 'off', (logged) => run(paths, options, logged)),
    );
};
