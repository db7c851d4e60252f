import type { Command } from 'commander';
import { NOTIFY_ID } from '../../alerts/notify/channel.ts';
import { readWish } from '../../alerts/webhooks/subscription-wish.ts';
import {
  addSubscription,
  enableSubscription,
  listSubscriptions,
  removeSubscription,
  requireSubscription,
  rotateSecret,
  type Subscription,
} from '../../alerts/webhooks/subscriptions.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { withIso } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import type { CliIo } from '../context/io.ts';
import { printFromLake } from '../context/lakes.ts';
import { defineDeliveryCommands } from './webhooks-deliveries.ts';

const EXAMPLES = `
Examples:
  trendlake webhooks add https://example.com/hook --events trend.spike,niche.breakout
  trendlake webhooks add https://example.com/hook --platforms tiktok --subjects @maker,#mossy
  trendlake webhooks add http://127.0.0.1:8080/ --allow-loopback-http
  trendlake webhooks test sub_...
  trendlake webhooks listen --forward http://127.0.0.1:8080/hook
  trendlake webhooks deliveries --state failed
  trendlake webhooks redeliver sub_... --from 24h

What is sent, signed and tried again how: ${docsPage('guides/webhooks.md')}.`;

const list = (value: unknown): string[] | undefined =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '')
    : undefined;

/** A subscription as `--json` prints it, with ISO 8601 instants. */
const datedSubscription = (subscription: Subscription) =>
  withIso(subscription, 'createdAt', 'disabledAt', 'failingSince', 'pausedUntil');
type DatedSubscription = ReturnType<typeof datedSubscription>;

const filterText = ({ filter }: DatedSubscription): string =>
  [
    filter.events.join(', ') || 'all kinds',
    filter.platforms.join(', '),
    filter.subjects.join(', '),
    (filter.tags ?? []).map((tag) => `tag ${tag}`).join(', '),
  ]
    .filter((part) => part !== '')
    .join('; ');

const stateText = ({ disabledReason, disabledAt, failingSince }: DatedSubscription): string => {
  if (disabledAt !== null) return `disabled ${disabledAt}: ${disabledReason}`;
  return failingSince === null ? 'enabled' : `failing since ${failingSince}`;
};

const defineAdd = (command: Command, io: CliIo): void => {
  command
    .command('add <url>')
    .description('subscribe an https address; prints its id and secret, this once')
    .option('--events <a,b>', 'kinds of events; default all')
    .option('--platforms <a,b>', 'platforms; default all')
    .option('--subjects <a,b>', 'handles, tags, video ids or <kind>:<id>; default all')
    .option('--tag <a,b>', 'tags of watches; default all')
    .option('--secret <secret>', 'a whsec_ secret; default a new one')
    .option('--allow-loopback-http', 'take http to this machine, for trying things out')
    .option('--json', '{id, secret}')
    .action((url: string, options: Record<string, string | true | undefined>) =>
      printFromLake(
        io,
        (lake) => {
          const wish = readWish(
            {
              url,
              events: list(options.events),
              platforms: list(options.platforms),
              subjects: list(options.subjects),
              ...(options.tag === undefined ? {} : { tags: list(options.tag) }),
              ...(options.secret === undefined ? {} : { secret: options.secret }),
              allowLoopbackHttp: options.allowLoopbackHttp === true,
            },
            true,
          );
          return addSubscription(lake, wish, { now: io.clock.now(), owner: undefined });
        },
        ({ id, secret }) => `Subscribed ${url} as ${id}.\nIts secret, shown this once: ${secret}`,
      ),
    );
};

const defineList = (command: Command, io: CliIo): void => {
  command
    .command('list')
    .description('list subscriptions and their state')
    .option('--json', 'an array of objects')
    .action(() =>
      printFromLake(
        io,
        (lake) => listSubscriptions(lake, undefined).map(datedSubscription),
        (all) =>
          io.tableOf(
            all,
            { id: ({ id }) => id, url: ({ url }) => url, wants: filterText, state: stateText },
            { empty: `No subscriptions yet: ${commandText('webhooks add URL')}` },
          ),
      ),
    );
};

/** Result of a change; `secret` only when a new one was made. */
interface Changed {
  readonly id: string;
  readonly secret?: string;
  readonly removed?: unknown;
  readonly enabled?: true;
}

/** Commands that change one subscription and print a sentence. */
const defineChanges = (command: Command, io: CliIo): void => {
  const define = (
    name: string,
    description: string,
    change: (lake: Lake, id: string) => Omit<Changed, 'id'>,
    sentence: string,
  ): void => {
    command
      .command(`${name} <id>`)
      .description(description)
      .option('--json', 'one object')
      .action((id: string) =>
        printFromLake(
          io,
          (lake): Changed => {
            if (id !== NOTIFY_ID || name !== 'rotate') requireSubscription(lake, id);
            return { id, ...change(lake, id) };
          },
          ({ secret }) => (secret === undefined ? sentence : `${sentence} ${secret}`),
        ),
      );
  };
  define(
    'remove',
    'delete a subscription and its deliveries',
    (lake, id) => ({ removed: removeSubscription(lake, id, undefined) }),
    'Removed.',
  );
  define(
    'rotate',
    'make a new secret; the old one signs too for a day',
    (lake, id) => ({ ...rotateSecret(lake, id, io.clock.now()) }),
    'The new secret, shown this once:',
  );
  define(
    'enable',
    'enable a disabled subscription, from now on',
    (lake, id) => {
      enableSubscription(lake, id);
      return { enabled: true };
    },
    'Enabled.',
  );
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES);
  defineAdd(command, io);
  defineList(command, io);
  defineDeliveryCommands(command, io);
  defineChanges(command, io);
};
