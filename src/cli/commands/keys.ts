import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { endSubscriptionsOf } from '../../alerts/webhooks/subscriptions.ts';
import { TIER_NAMES, type Tier } from '../../base/config/tiers.ts';
import { csvLine } from '../../base/csv.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { dateOf, isoOf, isoOrNull, withIso } from '../../base/iso.ts';
import { expected, listOf, oneOf, type TextReader, wholeNumber } from '../../base/text-values.ts';
import { type KeyRecord, newKey, SCOPES, type Scope } from '../../lake/keys/keys.ts';
import type { RouteUse } from '../../lake/keys/limits.ts';
import { LAKE_FILE, openLake } from '../../lake/open.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { openKeys } from '../context/key-store.ts';
import { valued } from '../context/option-values.ts';
import { grouped } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake keys create --use-case "weekly report"
  trendlake keys create --use-case "partner" --tier enterprise --rate 1000 --month 5000000
  trendlake keys create --use-case "dashboard" --scopes read
  trendlake keys list
  trendlake keys usage --month 2026-11 --csv > november.csv
  trendlake keys revoke key_AbC123`;

interface UsageOptions {
  readonly month?: string;
  readonly csv?: boolean;
}

const calendarMonth: TextReader<string> = (text) =>
  /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? { value: text } : expected('a month such as 2026-11');

const usageTable = (uses: readonly RouteUse[], month: string, io: CliIo): string => {
  if (uses.length === 0) return `No key was used in ${month} (UTC).`;
  const total = uses.reduce((sum, { calls }) => sum + calls, 0);
  const table = io.tableOf(uses, {
    key: ({ key }) => key,
    'use case': ({ useCase }) => useCase,
    day: ({ day }) => day,
    route: ({ route }) => route,
    calls: ({ calls }) => calls,
    refused: ({ refused }) => refused,
  });
  return `${table}\n${grouped(total)} calls in ${month} (UTC).`;
};

/** `keys usage`: calls of each key in a month, by day and route, for billing. */
const defineUsage = (command: Command, io: CliIo): void => {
  command
    .command('usage')
    .description('calls of a month by key, day (UTC) and route, including refused ones (429)')
    .addOption(valued('--month <YYYY-MM>', 'month to show; default this one', calendarMonth))
    .option('--csv', 'RFC 4180 with a header')
    .option('--json', 'print an array')
    .action(async (options: UsageOptions) => {
      const { month = dateOf(io.clock.now()).slice(0, 7) } = options;
      await using keys = await openKeys(configOf(io), io.clock);
      const uses = await keys.usageOfMonth(month);
      if (options.csv !== true || io.isJson)
        return io.show(uses, () => usageTable(uses, month, io), 0);
      io.csv('key,use_case,day,route,calls,refused');
      for (const { key, useCase, day, route, calls, refused } of uses)
        io.csv(csvLine([key, useCase, day, route, calls, refused]));
    });
};

interface CreateOptions {
  readonly useCase: string;
  readonly tier: Tier;
  readonly rate?: number;
  readonly month?: number;
  readonly scopes?: Scope[];
}

/** Without a value, `--use-case` would take the next option as its text. */
const useCaseOf = (text: string): string => {
  if (!text.startsWith('--')) return text;
  throw new UsageError(
    `--use-case must be followed by what the key will be used for; it is "${text}", which reads like an option.`,
  );
};

const shown = (record: KeyRecord) => withIso(record, 'createdAt', 'revokedAt');

const asTable = (records: readonly KeyRecord[], io: CliIo): string =>
  io.tableOf(
    records,
    {
      id: ({ id }) => id,
      'use case': ({ useCase }) => useCase,
      tier: ({ tier }) => tier,
      'per minute': ({ ratePerMinute }) => ratePerMinute,
      'per month': ({ callsPerMonth }) => callsPerMonth,
      scopes: ({ scopes }) => scopes.join(', '),
      created: ({ createdAt }) => isoOf(createdAt),
      revoked: ({ revokedAt }) => isoOrNull(revokedAt),
    },
    { empty: `No keys yet: ${commandText('keys create --use-case "..."')}` },
  );

const create = async (io: CliIo, options: CreateOptions): Promise<void> => {
  const wish = {
    useCase: useCaseOf(options.useCase),
    tier: options.tier,
    ...(options.rate === undefined ? {} : { ratePerMinute: options.rate }),
    ...(options.month === undefined ? {} : { callsPerMonth: options.month }),
    ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
  };
  const { key, ...made } = newKey(wish, io.clock.now());
  await using keys = await openKeys(configOf(io), io.clock);
  await keys.add(made);
  const { record } = made;
  const { id, tier, scopes } = record;
  io.show(
    { id, key, tier, scopes },
    () =>
      `${key}\n\nKey ${id}, tier ${tier}, scopes ${scopes.join(', ')}. It is shown only once and stored as a hash.`,
    0,
  );
};

/**
 * Ends the webhook subscriptions of a revoked key. If this is interrupted, the sender ends them at
 * its next attempt.
 */
const endSubscriptions = (dataDir: string, keyId: string, io: CliIo): number => {
  if (!existsSync(join(dataDir, LAKE_FILE))) return 0;
  using lake = openLake(dataDir, { report: io.err });
  return endSubscriptionsOf(lake, keyId, io.clock.now());
};

export const define = (command: Command, io: CliIo): void => {
  command.addHelpText('after', EXAMPLES);
  command
    .command('create')
    .description('create a key; it is shown only once')
    .requiredOption('--use-case <text>', 'what the key will be used for')
    .addOption(valued('--tier <tier>', TIER_NAMES.join(', '), oneOf(TIER_NAMES), 'beta'))
    .addOption(
      valued('--rate <n>', "calls per minute, instead of the tier's", wholeNumber(1, 100_000)),
    )
    .addOption(
      valued(
        '--month <n>',
        "calls per calendar month, instead of the tier's",
        wholeNumber(1, 1_000_000_000),
      ),
    )
    .addOption(valued('--scopes <a,b>', `comma list of ${SCOPES.join(', ')} (all)`, listOf(SCOPES)))
    .option('--json', 'print {id, key, tier, scopes}')
    .action((options: CreateOptions) => create(io, options));
  command
    .command('list')
    .description('list all keys, including revoked ones, without their secrets')
    .option('--json', 'print an array')
    .action(async () => {
      await using keys = await openKeys(configOf(io), io.clock);
      const records = await keys.list();
      io.show(records.map(shown), () => asTable(records, io), 0);
    });
  defineUsage(command, io);
  command
    .command('revoke')
    .description('revoke a key at once, also in running services')
    .argument('<id>', 'the id that `keys list` shows')
    .option('--json', "print the revoked key's record")
    .action(async (id: string) => {
      const config = configOf(io);
      const { dataDir } = config;
      await using keys = await openKeys(config, io.clock);
      const record = await keys.revoke(id, io.clock.now());
      const ended = endSubscriptions(dataDir, id, io);
      const subscriptions = ended > 0 ? `; ${ended} webhook subscriptions of it ended` : '';
      io.show(shown(record), () => `Key ${id} is revoked${subscriptions}.`, 0);
    });
};
