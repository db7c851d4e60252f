import { chmodSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CONFIG_FILE, readConfigFile } from '../../base/config/config-file.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { EXIT } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { wholeNumber } from '../../base/text-values.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { valued } from '../context/option-values.ts';

const HELP = `
Asks your service about everything that the interface leaves open: names of platforms and periods,
paging, envelopes, time windows, the unit of engagementRate. Prints what it found, and what to ask the
operator. Every call is paced and counted.

Examples:
  trendlake probe                    at most 30 calls
  trendlake probe --write            save the result as upstream in ${CONFIG_FILE}
  trendlake probe --json > probe.json
                                     a report for the operator of the service

Exit codes: 0 every list can be read; 1 a list cannot be read.`;

const USUAL_CALLS = 30;
const OWN_FILE = 0o600;

interface Options {
  maxCalls: number;
  write?: boolean;
}

/** Saves the setting `upstream` in the configuration file. */
const save = (path: string, upstream: UpstreamSettings): void => {
  const { upstream: _, ...fields } = readConfigFile(path);
  const isEmpty = Object.keys(upstream).length === 0;
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : OWN_FILE;
  const beside = `${path}.new`;
  writeFileSync(
    beside,
    `${JSON.stringify(isEmpty ? fields : { ...fields, upstream }, null, 2)}\n`,
    { mode },
  );
  chmodSync(beside, mode);
  renameSync(beside, path);
};

const run = async ({ maxCalls, write }: Options, io: CliIo): Promise<void> => {
  const { readProbe } = await import('../../run/run/last-probe.ts');
  const { probeService } = await import('../../run/run/probe-service.ts');
  const { openSession } = await import('../context/session.ts');
  await using session = await openSession(configOf(io), io, { report: io.note });
  const { config, lake } = session;
  io.note(`Probing ${config.baseUrl} with at most ${maxCalls} calls ...`);
  const before = readProbe(lake);
  const onWait = (ms: number, why: string): void =>
    io.progress(`probe: waits ${Math.ceil(ms / 1000)} s: ${why}`);
  const { ok, calls, findings, upstream } = await probeService({ ...session, maxCalls, onWait });
  io.show({ ok, calls, findings, upstream }, () => [
    io.tableOf(
      findings,
      {
        'open point': ({ part }) => part,
        found: ({ found }) => found,
        certainty: ({ certainty }) => certainty,
        evidence: ({ evidence }) => evidence,
      },
      { wrapped: 'found' },
    ),
    `${calls} calls.`,
  ]);
  const isOfSame = before !== undefined && before.baseUrl === config.baseUrl;
  for (const { part, found } of isOfSame ? findings : []) {
    const was = before?.findings.find((finding) => finding.part === part)?.found;
    if (was !== undefined && was !== found) io.err(`Changed: ${part} is ${found}, and was ${was}.`);
  }
  print(ok, upstream, { io, isSaved: write === true });
  if (write === true) {
    const path = resolve(io.cwd, io.flags.config ?? CONFIG_FILE);
    save(path, upstream);
    io.note(`Saved as upstream in ${path}.`);
    if ((io.env.TRENDLAKE_UPSTREAM ?? '') !== '')
      io.err('TRENDLAKE_UPSTREAM is set and counts before the file. Unset it to use the result.');
  }
  io.exitCode = ok ? EXIT.complete : EXIT.failed;
};

const print = (
  ok: boolean,
  upstream: UpstreamSettings,
  { io, isSaved }: { io: CliIo; isSaved: boolean },
): void => {
  if (!ok) {
    io.err(
      `Not every list can be read. Ask the operator the questions above, and set upstream by hand (${docsPage('reference/upstream.md')}).`,
    );
    return;
  }
  const isUsual = Object.keys(upstream).length === 0;
  const next = isSaved ? '' : ` Save it with \`${commandText('probe --write')}\`.`;
  io.note(
    isUsual
      ? 'Every list can be read with the defaults.'
      : `Every list can be read with upstream = ${JSON.stringify(upstream)}.${next}`,
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .addOption(
      valued('--max-calls <n>', 'spend at most this many calls', wholeNumber(1, 1000), USUAL_CALLS),
    )
    .option('--write', `save the result in ${CONFIG_FILE}`)
    .option('--json', 'print {"ok", "calls", "findings", "upstream"}')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, io));
};
