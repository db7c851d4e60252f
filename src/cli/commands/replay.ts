import { resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type ReplaySummary, replayResponses } from '../../ingest/responses/replay.ts';
import { openLake } from '../../lake/open.ts';
import type { CliIo } from '../context/io.ts';
import { existingLake } from '../context/lakes.ts';
import { type LoggedIo, withLog } from '../context/log.ts';
import { sinceOption } from '../context/option-values.ts';
import { counted, grouped } from '../text/figures.ts';
import { rowsText } from '../text/rows-text.ts';

const HELP = `
Rebuilds the tables from stored responses without spending a call: after an update that reads more
fields, or after rows were lost. Bodies of responses with status 200 are kept for
TRENDLAKE_RETENTION_DAYS. Rows of older responses and of imports stay unchanged.

Examples:
  trendlake replay                             into the same lake: fills and corrects
  trendlake replay --since 2026-03-01          only responses from then on
  trendlake replay --into rebuilt              into a fresh lake in another folder

Exit codes: 0 complete; 3 a response that could be read once cannot be read now.`;

interface Options {
  since?: number;
  into?: string;
}

const print = (io: CliIo, summary: ReplaySummary): void => {
  const { answers, newlyRead, rejected, unreadable, unreadableCount } = summary;
  io.out(
    `${counted(answers, 'response')} replayed${newlyRead > 0 ? `, ${grouped(newlyRead)} of them could not be read at first` : ''}; no call spent.`,
  );
  for (const line of rowsText(summary.rows)) io.out(line);
  if (rejected > 0) io.out(`  ${counted(rejected, 'item')} rejected`);
  for (const { callId, request, problem } of unreadable.slice(0, 5))
    io.err(`call ${callId}, ${request}: ${problem}`);
  if (unreadableCount > 0)
    io.err(
      `${counted(unreadableCount, 'kept response')} cannot be read, so nothing was loaded from them.`,
    );
};

const logSummary = ({ answers, rejected, unreadable, outcome }: ReplaySummary, log: Log): void => {
  for (const { callId, request, problem } of unreadable)
    log.warn({ job: 'replay', item: request, callId, outcome: 'unreadable' }, problem);
  log.info({ job: 'replay', outcome, answers, rejected }, 'replayed');
};

const run = async (options: Options, { io, log, config }: LoggedIo): Promise<void> => {
  const { dataDir, upstream } = config;
  using source = existingLake(io);
  const elsewhere = options.into === undefined ? undefined : resolve(io.cwd, options.into);
  const target = elsewhere === undefined || elsewhere === dataDir ? source : openLake(elsewhere);
  try {
    const summary = await replayResponses(source, target, {
      since: options.since ?? 0,
      upstream,
      signal: io.signal,
      onProgress: (done, of) => io.progress(`replay: ${done} of ${of} responses`),
    });
    logSummary(summary, log);
    if (io.isJson) io.json(summary);
    else print(io, summary);
    io.exitCode = summary.outcome === 'complete' ? EXIT.complete : EXIT.partial;
  } finally {
    if (target !== source) target.close();
  }
};

export const define = (command: Command, io: CliIo): void => {
  command
    .addOption(sinceOption(io, 'only responses from this instant on', '7d'))
    .option('--into <folder>', 'rebuild into the lake of another data directory')
    .option('--json', 'print the summary as one JSON document')
    .addHelpText('after', HELP)
    .action((options: Options) => withLog(io, 'off', (logged) => run(options, logged)));
};
