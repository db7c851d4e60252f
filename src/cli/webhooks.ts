import type { Command } from 'commander';
import { EXIT } from '../errors.ts';
import { isoOf } from '../iso.ts';
import { type Lake, openLake } from '../lake/open.ts';
import { NOTIFY_ID } from '../notify/channel.ts';
import { deliveriesPage, redeliver } from '../webhooks/deliveries.ts';
import { sendTest } from '../webhooks/dispatcher.ts';
import { HttpPoster } from '../webhooks/post.ts';
import { flushDeliveries } from '../webhooks/sender.ts';
import { readWish } from '../webhooks/subscription-wish.ts';
import {
  addSubscription,
  enableSubscription,
  listSubscriptions,
  removeSubscription,
  requireSubscription,
  rotateSecret,
  type Subscription,
} from '../webhooks/subscriptions.ts';
import { type CliIo, configOf } from './io.ts';
import { readInstant, wholeNumber } from './option-values.ts';
import { type Cell, textTable } from './text-table.ts';

const EXAMPLES = `
Examples:
  trendlake webhooks add https://example.com/hook --events trend.spike,niche.breakout
  trendlake webhooks add https://example.com/hook --platforms tiktok --subjects @maker,#mossy
  trendlake webhooks add http://127.0.0.1:8080/ --allow-loopback-http
  trendlake webhooks test sub_...
  trendlake webhooks deliveries --state failed
  trendlake webhooks redeliver sub_... --from 24h

What is sent, signed and tried again how: docs/webhooks.md.`;

type Options = Readonly<Record<string, string | number | boolean | undefined>>;

const list = (value: unknown): string[] | undefined =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : undefined;

const filterText = ({ filter }: Subscription): string =>
  [filter.events.join(', ') || 'all kinds', filter.platforms.join(', '), filter.subjects.join(', ')]
    .filter((part) => part !== '')
    .join('; ');

const stateText = ({ disabledReason, disabledAt, failingSince }: Subscription): string =>
  disabledAt !== null
    ? `disabled ${isoOf(disabledAt)}: ${disabledReason}`
    : failingSince !== null
      ? `failing since ${isoOf(failingSince)}`
      : 'enabled';

const shownSubscription = (one: Subscription): Record<string, unknown> => ({
  ...one,
  createdAt: isoOf(one.createdAt),
  disabledAt: one.disabledAt === null ? null : isoOf(one.disabledAt),
  failingSince: one.failingSince === null ? null : isoOf(one.failingSince),
  pausedUntil: one.pausedUntil === null ? null : isoOf(one.pausedUntil),
});

/** A table, or where it would be empty, what to say instead. */
const tableOr = (nothing: string, head: string[], rows: Cell[][], { columns }: CliIo): string =>
  rows.length === 0 ? nothing : textTable(head, rows, { columns });

/** Runs `work` on the lake and prints its answer: as one JSON document, or as words. */
const answering = async (
  io: CliIo,
  options: Options,
  work: (lake: Lake) => unknown,
  words: (answer: never) => string,
): Promise<void> => {
  const lake = openLake(configOf(io).dataDir, { tell: io.err });
  try {
    const answer = await work(lake);
    if (options.json === true) io.json(answer);
    else io.out(words(answer as never));
  } finally {
    lake.close();
  }
};

const defineAdd = (command: Command, io: CliIo): void => {
  command
    .command('add <url>')
    .description('subscribe an https address; prints its id and secret, this once')
    .option('--events <a,b>', 'kinds of events; default all')
    .option('--platforms <a,b>', 'platforms; default all')
    .option('--subjects <a,b>', 'handles, tags, video ids or <kind>:<id>; default all')
    .option('--secret <whsec_...>', 'a secret of your own; default a new one')
    .option('--allow-loopback-http', 'take http to this machine, for trying things out')
    .option('--json', '{id, secret}')
    .action((url: string, options: Options) =>
      answering(
        io,
        options,
        (lake) => {
          const wish = readWish(
            {
              url,
              events: list(options.events),
              platforms: list(options.platforms),
              subjects: list(options.subjects),
              ...(options.secret === undefined ? {} : { secret: options.secret }),
              allowLoopbackHttp: options.allowLoopbackHttp === true,
            },
            true,
          );
          return addSubscription(lake, wish, { now: io.clock.now(), owner: undefined });
        },
        ({ id, secret }: { id: string; secret: string }) =>
          `Subscribed ${url} as ${id}.\nIts secret, shown this once: ${secret}`,
      ),
    );
};

const defineList = (command: Command, io: CliIo): void => {
  command
    .command('list')
    .description('subscriptions and how they fare')
    .option('--json', 'an array of objects')
    .action((options: Options) =>
      answering(
        io,
        options,
        (lake) => {
          const all = listSubscriptions(lake, undefined);
          return options.json === true ? all.map(shownSubscription) : all;
        },
        (all: Subscription[]) =>
          tableOr(
            'No subscriptions yet: trendlake webhooks add URL',
            ['id', 'url', 'wants', 'state'],
            all.map((one) => [one.id, one.url, filterText(one), stateText(one)]),
            io,
          ),
      ),
    );
};

/** What the table of deliveries shows, and the field it is in. */
const DELIVERY_COLUMNS: ReadonlyMap<string, string> = new Map([
  ...['id', 'kind', 'subject', 'state', 'attempts', 'status'].map((name) => [name, name] as const),
  ['ms', 'durationMs'],
  ['tried', 'attemptedAt'],
  ['next', 'nextAttemptAt'],
  ['why', 'error'],
]);

const defineDeliveries = (command: Command, io: CliIo): void => {
  command
    .command('deliveries')
    .description('what was sent, what came back, what is tried again when')
    .option('--subscription <id>', 'of this subscription only')
    .option('--state <state>', 'pending, delivered or failed')
    .option('--limit <n>', 'at most so many, newest first', wholeNumber('--limit', 1), 50)
    .option('--json', 'an array of objects')
    .action((options: Options) => {
      const limit = options.limit as number;
      const subscriptionId = options.subscription as string | undefined;
      const state = options.state as string | undefined;
      const time = (at: number | null): string | null => (at === null ? null : isoOf(at));
      return answering(
        io,
        options,
        (lake) =>
          deliveriesPage(lake, { subscriptionId, state, limit }).items.map((one) => ({
            ...one,
            queuedAt: time(one.queuedAt),
            nextAttemptAt: time(one.nextAttemptAt),
            attemptedAt: time(one.attemptedAt),
            deliveredAt: time(one.deliveredAt),
          })),
        (all: Record<string, Cell>[]) =>
          tableOr(
            'No deliveries.',
            [...DELIVERY_COLUMNS.keys()],
            all.map((one) => [...DELIVERY_COLUMNS.values()].map((field) => one[field] ?? null)),
            io,
          ),
      );
    });
};

const defineRedeliver = (command: Command, io: CliIo): void => {
  command
    .command('redeliver <id>')
    .description('send a delivery again, or those of a subscription queued in a span')
    .option('--from <instant>', 'of a subscription: queued since; ISO 8601 or a span such as 24h')
    .option('--to <instant>', 'of a subscription: queued until; default now')
    .option('--json', '{redelivered, left}')
    .action((id: string, options: Options) => {
      const now = io.clock.now();
      const ofSubscription = id.startsWith('sub_');
      const instant = (flag: '--from' | '--to', value: unknown, fallback: number): number =>
        typeof value === 'string' ? readInstant(flag, value, now) : fallback;
      return answering(
        io,
        options,
        async (lake) => {
          if (ofSubscription) requireSubscription(lake, id);
          const from = instant('--from', options.from, 0);
          const to = instant('--to', options.to, now);
          const ask = ofSubscription ? { subscriptionId: id, from, to } : { deliveryId: id };
          const redelivered = redeliver(lake, ask, now);
          const { clock, random, signal } = io;
          const { left } = await flushDeliveries(lake, { clock, random, signal, report: io.err });
          return { redelivered, left };
        },
        ({ redelivered, left }: { redelivered: number; left: number }) =>
          `${redelivered} due again${left > 0 ? `; ${left} wait for the running sender, or the next sync` : ' and tried'}. \`trendlake webhooks deliveries\` shows the answers.`,
      );
    });
};

const defineTest = (command: Command, io: CliIo): void => {
  command
    .command('test <id>')
    .description('send a test event now and show the answer; exits with 1 when it is not received')
    .option('--json', 'the attempt')
    .action((id: string, options: Options) =>
      answering(
        io,
        options,
        async (lake) => {
          const { url, allowLoopbackHttp } = requireSubscription(lake, id);
          const poster = new HttpPoster({ clock: io.clock });
          try {
            const endpoint = { id, url, loopback: allowLoopbackHttp };
            const attempt = await sendTest(lake, { clock: io.clock, poster }, endpoint);
            if (attempt.error !== null) io.exitCode = EXIT.failed;
            return { ...attempt, at: isoOf(attempt.at) };
          } finally {
            await poster.close();
          }
        },
        ({ status, durationMs, error }: Record<string, string>) =>
          error === null
            ? `Received: answered ${status} after ${durationMs} ms.`
            : `Not received after ${durationMs} ms: ${error}.`,
      ),
    );
};

/** Commands that change one subscription and answer with a sentence. */
const defineChanges = (command: Command, io: CliIo): void => {
  const changes: readonly [string, string, (lake: Lake, id: string) => object, string][] = [
    [
      'remove',
      'end a subscription; its deliveries go with it',
      (lake, id) => ({ id, removed: removeSubscription(lake, id, undefined) }),
      'Removed.',
    ],
    [
      'rotate',
      'a new secret; for a day the old one signs as well',
      (lake, id) => ({ id, ...rotateSecret(lake, id, io.clock.now()) }),
      'The new secret, shown this once:',
    ],
    [
      'enable',
      'let a disabled subscription receive again, from now on',
      (lake, id) => {
        enableSubscription(lake, id);
        return { id, enabled: true };
      },
      'Enabled.',
    ],
  ];
  for (const [name, description, change, sentence] of changes)
    command
      .command(`${name} <id>`)
      .description(description)
      .option('--json', 'one object')
      .action((id: string, options: Options) =>
        answering(
          io,
          options,
          (lake) =>
            change(
              lake,
              id === NOTIFY_ID && name === 'rotate' ? id : requireSubscription(lake, id).id,
            ),
          ({ secret }: { secret?: string }) =>
            secret === undefined ? sentence : `${sentence} ${secret}`,
        ),
      );
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES);
  defineAdd(command, io);
  defineList(command, io);
  defineDeliveries(command, io);
  defineRedeliver(command, io);
  defineTest(command, io);
  defineChanges(command, io);
};
