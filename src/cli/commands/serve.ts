import { once } from 'node:events';
import type { Command } from 'commander';
import { CHORES, JOBS } from '../../../jobs/all-jobs.ts';
import { readHookSecret } from '../../alerts/webhooks/hook-proof.ts';
import type { RevokedKeys } from '../../alerts/webhooks/revoked-keys.ts';
import { Sender } from '../../alerts/webhooks/sender.ts';
import { systemClock } from '../../base/clock.ts';
import { webhookProxy } from '../../base/config/config.ts';
import { UsageError } from '../../base/errors.ts';
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
import { revokedElsewhere } from '../context/key-store.ts';
import { openLog } from '../context/log.ts';
import { isoInstant, valued } from '../context/option-values.ts';
import { serveLedger } from '../context/serve-ledger.ts';

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
  {
    report,
    revokedKeys,
    io,
    json,
  }: {
    report: (sentence: string) => void;
    revokedKeys: RevokedKeys | undefined;
    io: CliIo;
    json: boolean;
  },
): Promise<void> => {
  using lake = openLake(options.dataDir, { report: report });
  const running = await startService(options);
  const { clock, random } = io;
  const sender = new Sender(lake, {
    clock,
    random,
    report,
    revokedKeys,
    proxy: options.webhookProxy,
    publicUrl: options.publicUrl,
  });
  try {
    const { url, dashboard, openness } = running;
    io.err(openness);
    if (json) io.json({ url, dashboard }, 0);
    else io.out(`Serving ${url} (dashboard ${dashboard}); Ctrl-C stops it.`);
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
      const { publicUrl } = options;
      const config = configOf(io, publicUrl === undefined ? {} : { publicUrl });
      const { dataDir, hookSecret, subscriptionsPerKey } = config;
      const opened = await openLog(config, 'info', io);
      const wished = {
        host: options.host,
        port: options.port,
        ...(options.at === undefined ? {} : { at: options.at }),
        subscriptionsPerKey,
        listItems: config.listItems,
        model: modelSettings(config),
        webhookProxy: webhookProxy(config),
        ...(hookSecret === undefined ? {} : { hookSecret: readHookSecret(hookSecret.reveal()) }),
        publicUrl: config.publicUrl,
        publicDashboard: options.publicDashboard,
        corsOrigins: options.cors === undefined ? [] : originsOf(options.cors),
        ...(opened === undefined ? {} : { log: opened.log }),
      };
      const report =
        opened === undefined ? io.err : (sentence: string): void => opened.log.warn(sentence);
      const { close: closeLedger, keys, spent, ...month } = await serveLedger(config, systemClock);
      const metrics = new Metrics({ ...config, ...month, clock: io.clock, report });
      const chores = CHORES.filter((chore) => chore.isWanted?.(config) ?? true);
      const pipeline = new PipelineReader({ dataDir, config, jobs: JOBS, chores, spent });
      const service = {
        ...wished,
        dataDir,
        metrics,
        pipeline,
        ...(keys === undefined ? {} : { keys }),
        clock: io.clock,
        machine: systemClock,
        computesAhead: true,
      };
      try {
        const revokedKeys = revokedElsewhere(config, systemClock);
        const word = Math.floor(io.random() * 2 ** 48).toString(36);
        const sign = { name: SERVING, word, clock: systemClock, wall: systemClock };
        const json = io.isJson;
        await whileLiving(dataDir, sign, () =>
          serveUntilStopped(service, { report, revokedKeys, io, json }),
        );
      } finally {
        await Promise.all([metrics.close(), pipeline.close()]);
        await closeLedger();
        opened?.close();
      }
    });
};
