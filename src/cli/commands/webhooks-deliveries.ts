import type { Command } from 'commander';
import { deliveriesPage, redeliver } from '../../alerts/webhooks/deliveries.ts';
import { sendTest } from '../../alerts/webhooks/dispatcher.ts';
import { listenToEvents } from '../../alerts/webhooks/listen.ts';
import { HttpPoster } from '../../alerts/webhooks/post.ts';
import { flushDeliveries } from '../../alerts/webhooks/sender.ts';
import { newSecret, secretKey } from '../../alerts/webhooks/signature.ts';
import { requireSubscription } from '../../alerts/webhooks/subscriptions.ts';
import { readTarget } from '../../alerts/webhooks/target.ts';
import { webhookProxy } from '../../base/config/config.ts';
import { EXIT } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { withIso } from '../../base/iso.ts';
import { wholeNumber } from '../../base/text-values.ts';
import { openLakeForReading } from '../../lake/open.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { revokedElsewhere } from '../context/key-store.ts';
import { printFromLake } from '../context/lakes.ts';
import { instantBefore, sinceOption, valued } from '../context/option-values.ts';

const defineDeliveries = (command: Command, io: CliIo): void => {
  command
    .command('deliveries')
    .description('list deliveries: request, response and next retry')
    .option('--subscription <id>', 'of this subscription only')
    .option('--state <state>', 'pending, delivered or failed')
    .addOption(valued('--limit <n>', 'most deliveries to list, newest first', wholeNumber(1), 50))
    .option('--json', 'an array of objects')
    .action((options: { limit: number; subscription?: string; state?: string }) => {
      const { limit, state, subscription: subscriptionId } = options;
      return printFromLake(
        io,
        (lake) =>
          deliveriesPage(lake, { subscriptionId, state, limit }).items.map((delivery) =>
            withIso(delivery, 'queuedAt', 'nextAttemptAt', 'attemptedAt', 'deliveredAt'),
          ),
        (all) =>
          io.tableOf(
            all,
            {
              id: ({ id }) => id,
              kind: ({ kind }) => kind,
              subject: ({ subject }) => subject,
              state: ({ state }) => state,
              attempts: ({ attempts }) => attempts,
              status: ({ status }) => status,
              ms: ({ durationMs }) => durationMs,
              tried: ({ attemptedAt }) => attemptedAt,
              next: ({ nextAttemptAt }) => nextAttemptAt,
              why: ({ error }) => error,
            },
            { empty: 'No deliveries.' },
          ),
      );
    });
};

const defineRedeliver = (command: Command, io: CliIo): void => {
  const instant = instantBefore(io);
  command
    .command('redeliver <id>')
    .description('send a delivery again, or those of a subscription queued in a span')
    .addOption(
      valued(
        '--from <instant>',
        'with a subscription: queued since; ISO 8601 or a span such as 24h',
        instant,
      ),
    )
    .addOption(valued('--to <instant>', 'with a subscription: queued until; default now', instant))
    .option('--json', '{redelivered, left}')
    .action((id: string, options: { from?: number; to?: number }) => {
      const now = io.clock.now();
      const ofSubscription = id.startsWith('sub_');
      return printFromLake(
        io,
        async (lake) => {
          if (ofSubscription) requireSubscription(lake, id);
          const { from = 0, to = now } = options;
          const which = ofSubscription ? { subscriptionId: id, from, to } : { deliveryId: id };
          const redelivered = redeliver(lake, which, now);
          const { clock, random, signal } = io;
          const { left } = await flushDeliveries(lake, {
            clock,
            random,
            signal,
            report: io.err,
            revokedKeys: revokedElsewhere(configOf(io), clock),
            proxy: webhookProxy(configOf(io)),
            publicUrl: configOf(io).publicUrl,
          });
          return { redelivered, left };
        },
        ({ redelivered, left }) =>
          `${redelivered} due again${left > 0 ? `; ${left} wait for the running sender, or the next sync` : ' and tried'}. \`${commandText('webhooks deliveries')}\` shows the responses.`,
      );
    });
};

const defineTest = (command: Command, io: CliIo): void => {
  command
    .command('test <id>')
    .description('send a test event now and show the response; exits with 1 if it fails')
    .option('--json', 'the attempt')
    .action((id: string) =>
      printFromLake(
        io,
        async (lake) => {
          const { url, allowLoopbackHttp } = requireSubscription(lake, id);
          await using poster = new HttpPoster({
            clock: io.clock,
            proxy: webhookProxy(configOf(io)),
          });
          const endpoint = { id, url, loopback: allowLoopbackHttp };
          const attempt = await sendTest(lake, { clock: io.clock, poster }, endpoint);
          if (attempt.error !== null) io.exitCode = EXIT.failed;
          return withIso(attempt, 'at');
        },
        ({ status, durationMs, error }) =>
          error === null
            ? `Received: answered ${status} after ${durationMs} ms.`
            : `Not received after ${durationMs} ms: ${error}.`,
      ),
    );
};

interface ListenOptions {
  readonly forward?: string;
  readonly secret?: string;
  readonly since?: number;
}

const listen = async (options: ListenOptions, io: CliIo): Promise<void> => {
  const { clock, signal } = io;
  const config = configOf(io);
  const since = options.since ?? clock.now();
  const url = options.forward === undefined ? undefined : readTarget(options.forward, true);
  const secret = options.secret ?? newSecret();
  secretKey(secret); // rejects one that cannot be used
  await using poster = new HttpPoster({ clock, proxy: webhookProxy(config) });
  const forward = url === undefined ? undefined : { url, secret, poster };
  using lake = openLakeForReading(config.dataDir);
  io.note(
    forward === undefined
      ? 'Listening for events. Ctrl-C stops.'
      : `Forwarding events to ${url?.origin}, signed with ${secret}. Ctrl-C stops.`,
  );
  for await (const { id, body, attempt } of listenToEvents(lake, {
    clock,
    signal,
    since,
    forward,
  })) {
    io.out(body);
    if (attempt !== undefined)
      io.err(
        attempt.error === null
          ? `${id}: answered ${attempt.status} after ${attempt.durationMs} ms.`
          : `${id}: not received: ${attempt.error}.`,
      );
  }
};

const defineListen = (command: Command, io: CliIo): void => {
  command
    .command('listen')
    .description('print events as they would be delivered, and forward them to a URL')
    .option('--forward <url>', 'https, or http to this machine')
    .option(
      '--secret <secret>',
      'sign with this whsec_ secret; default a new one, which is printed',
    )
    .addOption(sinceOption(io, 'start with events detected since', '24h'))
    .action((options: ListenOptions) => listen(options, io));
};

/** Defines the `webhooks` commands that show, resend and try deliveries. */
export const defineDeliveryCommands = (command: Command, io: CliIo): void => {
  defineDeliveries(command, io);
  defineRedeliver(command, io);
  defineTest(command, io);
  defineListen(command, io);
};
