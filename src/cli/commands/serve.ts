import { once } from 'node:events';
import type { Command } from 'commander';
import { choresOf, JOBS } from '../../../jobs/all-jobs.ts';
import { readHookSecret } from '../../alerts/webhooks/hook-proof.ts';
import { type SenderDeps, startSender } from '../../alerts/webhooks/sender.ts';
import { systemClock } from '../../base/clock.ts';
import { webhookProxy } from '../../base/config/config.ts';
import { UsageError } from '../../base/errors.ts';
import { Opened } from '../../base/opened.ts';
import { keepHeapSmall } from '../../base/small-memory.ts';
import { wholeNumber } from '../../base/text-values.ts';
import { whileLiving } from '../../lake/exclusive.ts';
import { openLake } from '../../lake/open.ts';
import { modelSettings } from '../../learn/why/model.ts';
import { Metrics } from '../../run/metrics/metrics.ts';
import { PipelineReader } from '../../run/pipeline/pipeline-reader.ts';
import { SERVING } from '../../run/schedule/daemon.ts';
import { startService } from '../../serve/service.ts';
import type { ServiceOptions } from '../../serve/service-options.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { revokedElsewhere, serveLedger } from '../context/key-store.ts';
import { openLog } from '../context/log.ts';
import { isoInstant, valued } from '../context/option-values.ts';

const EXAMPLES = `
Examples:
  trendlake serve                              on http://127.0.0.1:8787/v1
  trendlake serve --port 0 --json              a free port; {"url": ..., "dashboard": ...}
  trendlake serve --at 2026-03-01T00:00:00Z    the lake as it was then

Keys: trendlake keys create --use-case "what it is for"`;

interface Options {
  readonly port: number;
  readonly host: string;
  readonly at?: number;
  readonly cors?: string;
  readonly publicUrl?: string;
  readonly publicDashboard?: boolean;
}

/** Origins in the form browsers send, because they are compared as text. */
const originsOf = (list: string): string[] =>
  list.split(',').map((written) => {
    const url = URL.parse(written.trim());
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`)
      return url.origin;
    throw new UsageError(
      `--cors must be a comma list of origins such as https://app.example; got "${written}".`,
    );
  });

/**
 * Serves and delivers webhooks until the signal aborts. Opens the lake first: a listening server
 * would keep a failed process alive.
 */
const serveUntilStopped = async (
  options: ServiceOptions,
  deliveries: Pick<SenderDeps, 'revokedKeys'> & Required<Pick<SenderDeps, 'report'>>,
  io: CliIo,
): Promise<void> => {
  const { clock, random } = io;
  using lake = openLake(options.dataDir, { report: deliveries.report });
  const running = await startService(options);
  const { url, dashboard, openness } = running;
  const { webhookProxy: proxy, publicUrl } = options;
  const sender = startSender(lake, { ...deliveries, clock, random, proxy, publicUrl });
  try {
    io.err(openness);
    io.show(
      { url, dashboard },
      () => `Serving ${url} (dashboard ${dashboard}); Ctrl-C stops it.`,
      0,
    );
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await Promise.all([sender.stop(), running.close()]);
  }
};

export const define = (command: Command, io: CliIo): void => {
  command
    .addOption(
      valued('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 8787),
    )
    .option(
      '--host <host>',
      'address to listen on; on any other than the default the pages ask for a key',
      '127.0.0.1',
    )
    .option('--public-url <url>', 'where people reach it, such as https://trends.example')
    .option('--public-dashboard', 'pages and /metrics without a key')
    .addOption(valued('--at <instant>', "fix the service's clock", isoInstant))
    .option(
      '--cors <origins>',
      'comma list of origins whose pages may read responses; none by default',
    )
    .option('--json', 'print {"url", "dashboard"} once listening')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      keepHeapSmall();
      const { publicUrl, publicDashboard, host, port, at, cors } = options;
      const config = configOf(io, publicUrl === undefined ? {} : { publicUrl });
      const { dataDir, hookSecret, subscriptionsPerKey, listItems } = config;
      await using opened = new Opened();
      const log = await openLog(config, 'info', io);
      if (log !== undefined) opened.add(log);
      const report = (sentence: string): void =>
        log === undefined ? io.err(sentence) : log.log.warn(sentence);
      const ledger = opened.add(await serveLedger(config, systemClock));
      const { keys, spent, sharedMonths } = ledger;
      const months = sharedMonths === undefined ? {} : { sharedMonths };
      const metrics = opened.add(new Metrics({ ...config, ...months, clock: io.clock, report }));
      const chores = choresOf(config);
      const pipeline = opened.add(
        new PipelineReader({ dataDir, config, jobs: JOBS, chores, spent }),
      );
      const service = {
        host,
        port,
        ...(at === undefined ? {} : { at }),
        subscriptionsPerKey,
        listItems,
        model: modelSettings(config),
        webhookProxy: webhookProxy(config),
        ...(hookSecret === undefined ? {} : { hookSecret: readHookSecret(hookSecret.reveal()) }),
        publicUrl: config.publicUrl,
        publicDashboard,
        corsOrigins: cors === undefined ? [] : originsOf(cors),
        ...(log === undefined ? {} : { log: log.log }),
        dataDir,
        metrics,
        pipeline,
        ...(keys === undefined ? {} : { keys }),
        clock: io.clock,
        machine: systemClock,
      };
      const revokedKeys = revokedElsewhere(config, systemClock);
      const word = Math.floor(io.random() * 2 ** 48).toString(36);
      const sign = { name: SERVING, word, clock: systemClock, wall: systemClock };
      await whileLiving(dataDir, sign, () =>
        serveUntilStopped(service, { report, revokedKeys }, io),
      );
    });
};
