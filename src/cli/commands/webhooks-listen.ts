import type { Command } from 'commander';
import { listenToEvents } from '../../alerts/webhooks/listen.ts';
import { HttpPoster } from '../../alerts/webhooks/post.ts';
import { newSecret, secretKey } from '../../alerts/webhooks/signature.ts';
import { readTarget } from '../../alerts/webhooks/target.ts';
import { webhookProxy } from '../../base/config/config.ts';
import { openLakeForReading } from '../../lake/open.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { sinceOption } from '../context/option-values.ts';

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

/** Defines `webhooks listen`. */
export const defineListen = (command: Command, io: CliIo): void => {
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
