import { once } from 'node:events';
import type { Command } from 'commander';
import { parseIso } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { modelSettings } from '../lab/model.ts';
import { openLake } from '../lake/open.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { startService } from '../serve/service.ts';
import { keepHeapSmall } from '../serve/small-memory.ts';
import { readHookSecret } from '../webhooks/hook-proof.ts';
import { startSender } from '../webhooks/sender.ts';
import { type CliIo, configOf } from './io.ts';
import { openLog } from './log.ts';

const EXAMPLES = `
Examples:
  trendlake serve                              on http://127.0.0.1:8787/v1
  trendlake serve --port 0 --json              a free port; {"url": ..., "dashboard": ...}
  trendlake serve --at 2026-03-01T00:00:00Z    the lake as it was then

Keys: trendlake keys create --use-case "what it is for"`;

interface Options {
  readonly port: string;
  readonly host: string;
  readonly at?: string;
  readonly cors?: string;
  readonly json?: boolean;
}

const portOf = (text: string): number => {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(
    `--port must be a whole number from 0 (any free one) to 65535; got "${text}".`,
  );
};

const instantOf = (text: string): number => {
  const at = parseIso(text);
  if (at !== undefined) return at;
  throw new UsageError(
    `--at must be an ISO 8601 instant such as 2026-03-01T00:00:00Z; got "${text}".`,
  );
};

/** Origins as browsers send them, which is what they are compared with. */
const originsOf = (list: string): string[] =>
  list.split(',').map((written) => {
    const url = URL.parse(written.trim());
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`)
      return url.origin;
    throw new UsageError(
      `--cors must be a comma list of origins such as https://app.example; got "${written}".`,
    );
  });

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--port <n>', 'port to listen on; 0 picks a free one', '8787')
    .option(
      '--host <host>',
      'address to listen on; others than this one are not reached',
      '127.0.0.1',
    )
    .option('--at <instant>', 'fix the service’s clock')
    .option(
      '--cors <origins>',
      'comma list of origins whose pages may read answers; none by default',
    )
    .option('--json', 'print {"url", "dashboard"} once listening')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      keepHeapSmall();
      const config = configOf(io);
      const { dataDir, hookSecret } = config;
      const opened = await openLog(config, 'info', io);
      const wished = {
        host: options.host,
        port: portOf(options.port),
        ...(options.at === undefined ? {} : { at: instantOf(options.at) }),
        model: modelSettings(io.env),
        ...(hookSecret === undefined ? {} : { hookSecret: readHookSecret(hookSecret.reveal()) }),
        corsOrigins: options.cors === undefined ? [] : originsOf(options.cors),
        ...(opened === undefined ? {} : { log: opened.log }),
      };
      const metrics = createMetrics({ ...config, clock: io.clock });
      const running = await startService({ ...wished, dataDir, metrics, clock: io.clock }).catch(
        async (error: unknown) => {
          await metrics.close();
          throw error;
        },
      );
      const lake = openLake(dataDir);
      const { clock, random } = io;
      const sender = startSender(lake, {
        clock,
        random,
        report: opened === undefined ? io.err : (sentence) => opened.log.warn(sentence),
      });
      const { url, dashboard } = running;
      io.out(
        options.json === true
          ? JSON.stringify({ url, dashboard })
          : `Serving ${url} (dashboard ${dashboard}); Ctrl-C stops it.`,
      );
      if (!io.signal.aborted) await once(io.signal, 'abort');
      await Promise.all([sender.stop(), running.close()]);
      lake.close();
      await metrics.close();
      opened?.close();
    });
};
