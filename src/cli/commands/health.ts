import type { Command } from 'commander';
import { MINUTE_MS } from '../../base/durations.ts';
import { EXIT } from '../../base/errors.ts';
import { living } from '../../lake/exclusive.ts';
import { DAEMON, SERVING } from '../../run/schedule/daemon.ts';
import { type CliIo, configOf } from '../context/io.ts';

const EXAMPLES = `
Examples:
  trendlake health            exit code 0 if schedule and serve on this machine respond, else 1
  trendlake health --json

For health checks of containers and supervisors. A process that gave no sign of life for two minutes hangs.`;

/** A process gives a sign every 15 s. */
const SILENT_MS = 2 * MINUTE_MS;

const check = (io: CliIo): void => {
  const { dataDir } = configOf(io);
  const now = io.clock.now();
  const processes = [DAEMON, SERVING].flatMap((name) =>
    living(dataDir, name)
      .filter(({ isHere }) => isHere)
      .map(({ holder, signAt }) => {
        const silentMs = Math.max(0, Math.round(now - signAt));
        return { name, process: holder, silentMs, ok: silentMs < SILENT_MS };
      }),
  );
  const ok = processes.length > 0 && processes.every((process) => process.ok);
  io.exitCode = ok ? EXIT.complete : EXIT.failed;
  io.show({ ok, processes }, () =>
    processes.length === 0
      ? `Neither schedule nor serve runs on this machine over ${dataDir}.`
      : processes.map(({ name, process, silentMs, ok: responds }) =>
          responds
            ? `${name} (${process}) responds.`
            : `${name} (${process}) hangs: no sign of life for ${Math.round(silentMs / MINUTE_MS)} min. Restart it.`,
        ),
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--json', 'one document: ok, processes')
    .addHelpText('after', EXAMPLES)
    .action(() => check(io));
};
