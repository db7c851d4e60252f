import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { docsPage } from '../../base/installation.ts';
import { keepHeapSmall } from '../../base/small-memory.ts';
import { publishIfConfigured } from '../../output/delta/publish-if-configured.ts';
import type { PublishSummary } from '../../output/delta/publish-lake.ts';
import type { CliIo } from '../context/io.ts';
import { existingLake } from '../context/lakes.ts';
import { type LoggedIo, showFiles, withLog } from '../context/log.ts';
import { counted, mebibytes } from '../text/figures.ts';

const HELP = `
Publishes the last export as Delta Lake tables, which Spark, Trino, Snowflake, Fabric, BigQuery,
ClickHouse and DuckDB read in place. Several lakes may publish into the same tables at once, each
under its own name. Only what changed is uploaded; with nothing new, nothing is written. \`sync\` and
\`schedule\` publish after each export once TRENDLAKE_TABLES_URL is set.

Examples:
  TRENDLAKE_TABLES_URL=s3://bucket/trends TRENDLAKE_LAKE=berlin trendlake publish
  TRENDLAKE_TABLES_URL=file:///srv/tables TRENDLAKE_LAKE=berlin trendlake publish --json

S3 takes the usual variables: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY (or a profile or role),
AWS_REGION, AWS_ENDPOINT_URL for another store than AWS. What each engine needs: ${docsPage('guides/publish.md')}.`;

const textOf = (summary: PublishSummary): string[] => {
  const { files, rows, bytes, removed, url, durationMs } = summary;
  const changed = summary.tables.filter((table) => table.files + table.removed > 0);
  if (changed.length === 0)
    return [`Nothing new since the last publish; the tables at ${url} are up to date.`];
  return [
    ...changed.map(
      (table) =>
        `  ${table.table.padEnd(18)} version ${table.version}: ${counted(table.rows, 'row')} in ${counted(table.files, 'file')}, ${counted(table.removed, 'file')} taken out`,
    ),
    `Published ${counted(rows, 'row')} in ${counted(files, 'file')} (${mebibytes(bytes)}) to ${url}, ${counted(removed, 'file')} taken out, in ${(durationMs / 1000).toFixed(1)} s.`,
  ];
};

const run = async (
  { replace = false, full = false }: { replace?: boolean; full?: boolean },
  logged: LoggedIo,
): Promise<void> => {
  const { io, config } = logged;
  if (config.tablesUrl === undefined)
    throw new UsageError(
      'TRENDLAKE_TABLES_URL or TRENDLAKE_LAKE is not set. Set TRENDLAKE_TABLES_URL to s3://bucket/prefix or file:///folder, and TRENDLAKE_LAKE to a name for this lake.',
    );
  keepHeapSmall();
  using lake = existingLake(io);
  const { clock, random, signal, env } = io;
  let uploaded = 0;
  const onFile = (): void => io.progress(`Tables: ${++uploaded} files uploaded`);
  const world = { clock, random, signal, env, onFile };
  const summary = await publishIfConfigured(lake, config, world, { replace, full });
  if (summary === undefined) return;
  showFiles(logged, summary, { job: 'publish', done: 'published', text: textOf(summary) });
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--full', 'check every file in the store and upload missing ones')
    .option('--replace', 'replace another lake that published under this name')
    .option('--json', 'print the summary as one JSON document')
    .addHelpText('after', HELP)
    .action((options) => withLog(io, 'off', (logged) => run(options, logged)));
};
